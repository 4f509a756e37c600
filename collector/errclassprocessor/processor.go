package errclassprocessor

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/errclass/errclass/classify"
)

type errclassProcessor struct {
	cfg        *Config
	classifier *classify.Classifier
}

func newProcessor(cfg *Config) *errclassProcessor {
	return &errclassProcessor{cfg: cfg, classifier: classify.Standard}
}

func (p *errclassProcessor) logs(_ context.Context, ld plog.Logs) (plog.Logs, error) {
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, r := range sl.LogRecords().All() {
				if r.SeverityNumber() >= plog.SeverityNumberError {
					p.add(r.Attributes(), p.classifier.Message(r.Body().AsString()))
				}
			}
		}
	}
	return ld, nil
}

func (p *errclassProcessor) traces(_ context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				if s.Status().Code() == ptrace.StatusCodeError {
					p.add(s.Attributes(), p.classifier.Message(s.Status().Message()))
				}
			}
		}
	}
	return td, nil
}

func (p *errclassProcessor) add(attrs pcommon.Map, res classify.Result) {
	if _, ok := attrs.Get(p.cfg.Keys.Category); !ok {
		attrs.PutStr(p.cfg.Keys.Category, string(res.Category))
	}
	if _, ok := attrs.Get(p.cfg.Keys.Reason); !ok {
		attrs.PutStr(p.cfg.Keys.Reason, string(res.Reason))
	}
}
