package errclassprocessor

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.uber.org/zap"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/rulesfile"
	"github.com/errclass/errclass/internal/attrkey"
	"github.com/errclass/errclass/internal/bound"
	"github.com/errclass/errclass/internal/evidence"
)

// errclassProcessor classifies the records of one pipeline. Its methods are safe for
// concurrent use between start and shutdown.
type errclassProcessor struct {
	cfg         *Config
	minSeverity plog.SeverityNumber
	names       attrkey.Names // of the attributes to add
	wanted      attrkey.Set   // the attributes to add
	logger      *zap.Logger
	telemetry   *telemetry
	classifier  *classify.Classifier
	stop        context.CancelFunc // stops watching the rules file
	jobs        sync.Pool          // of *job
}

func newProcessor(set processor.Settings, cfg *Config, signal string) (*errclassProcessor, error) {
	t, err := newTelemetry(set.TelemetrySettings, signal)
	if err != nil {
		return nil, err
	}
	p := &errclassProcessor{
		cfg: cfg, minSeverity: cfg.minSeverity(), names: cfg.Keys.names(), wanted: cfg.wanted(),
		logger: set.Logger, telemetry: t, classifier: classify.Standard, stop: func() {},
	}
	p.jobs.New = func() any { return newJob(p) }
	return p, nil
}

// start loads the rules file and watches it until shutdown.
func (p *errclassProcessor) start(context.Context, component.Host) error {
	if p.cfg.RulesFile == "" {
		return nil
	}
	ctx, stop := context.WithCancel(context.Background()) // not the context of start, which ends
	c, err := rulesfile.Watch(ctx, p.cfg.RulesFile,
		rulesfile.WithErrorFunc(p.rulesFault),
		rulesfile.WithLoadFunc(func(rules []classify.Rule) {
			p.logger.Info("rules file loaded again", zap.String("rules_file", p.cfg.RulesFile), zap.Int("rules", len(rules)))
		}))
	if err != nil {
		stop()
		return fmt.Errorf("rules_file: %w", err)
	}
	p.classifier, p.stop = c, stop
	return nil
}

// rulesFault logs and counts a changed rules file that cannot be used.
func (p *errclassProcessor) rulesFault(err error) {
	p.telemetry.reloadFailed()
	fields := []zap.Field{zap.String("rules_file", p.cfg.RulesFile), zap.Error(err)}
	if fault, ok := errors.AsType[*rulesfile.Error](err); ok && fault.Line > 0 {
		fields = append(fields, zap.Int("line", fault.Line))
	}
	p.logger.Error("rules file cannot be used, the earlier rules stay in use", fields...)
}

func (p *errclassProcessor) shutdown(context.Context) error {
	p.stop()
	p.telemetry.shutdown()
	return nil
}

// logs classifies the error records of a batch in place.
func (p *errclassProcessor) logs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	j := p.jobs.Get().(*job)
	resources := ld.ResourceLogs()
	for i := range resources.Len() {
		scopes := resources.At(i).ScopeLogs()
		for k := range scopes.Len() {
			records := scopes.At(k).LogRecords()
			for n := range records.Len() {
				r := records.At(n)
				number := r.SeverityNumber()
				if number < p.minSeverity && number != plog.SeverityNumberUnspecified && !hasException(r.Attributes()) {
					continue
				}
				j.log(r)
			}
		}
	}
	return ld, p.end(ctx, j)
}

// traces classifies the failed spans and the exceptions of a batch in place.
func (p *errclassProcessor) traces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	j := p.jobs.Get().(*job)
	resources := td.ResourceSpans()
	for i := range resources.Len() {
		scopes := resources.At(i).ScopeSpans()
		for k := range scopes.Len() {
			spans := scopes.At(k).Spans()
			for n := range spans.Len() {
				if s := spans.At(n); s.Status().Code() == ptrace.StatusCodeError || anyException(s.Events()) {
					j.span(s)
				}
			}
		}
	}
	return td, p.end(ctx, j)
}

// end adds the counts of a batch to the metrics and returns j to the pool. With
// error_mode propagate, it returns an error for an unreadable record. The error is
// permanent: the same batch would be refused again.
func (p *errclassProcessor) end(ctx context.Context, j *job) error {
	p.telemetry.count(ctx, j)
	n, err := j.unreadable, j.err
	j.reset()
	p.jobs.Put(j)
	if n == 0 {
		return nil
	}
	switch p.cfg.ErrorMode {
	case ErrorModePropagate:
		return consumererror.NewPermanent(fmt.Errorf("errclass: %d %s could not be read: %w", n, p.telemetry.signal, err))
	case ErrorModeIgnore:
		p.logger.Warn("records could not be read and pass unchanged", zap.String("signal", p.telemetry.signal), zap.Int("records", n), zap.NamedError("first_error", err))
	}
	return nil
}

// errTooManyAttributes is the error for a record with too many attributes. Such a
// record is left unchanged.
var errTooManyAttributes = fmt.Errorf("more than %d attributes", evidence.MaxAttributes)

// panicked returns the error for a recovered panic.
func panicked(p any) error { return errors.New("panic: " + bound.Panic(p)) }
