package errclassprocessor

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/errclass/errclass/collector/errclassprocessor/internal/metadata"
	"github.com/errclass/errclass/collector/errclassprocessor/internal/metadatatest"
	"github.com/errclass/errclass/internal/evidence"
)

// processorSettings returns settings for a processor. The processor's logs go to
// core, unless core is nil.
func processorSettings(core *zap.Logger) processor.Settings {
	set := processortest.NewNopSettings(metadata.Type)
	if core != nil {
		set.Logger = core
	}
	return set
}

// oneLog returns a batch with one log record of severity error.
func oneLog(body string) (plog.Logs, plog.LogRecord) {
	ld := plog.NewLogs()
	r := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	r.SetSeverityNumber(plog.SeverityNumberError)
	r.Body().SetStr(body)
	return ld, r
}

const refused = "dial tcp 10.0.0.7:5432: connect: connection refused"

// A processor changes batches in place, so the Collector must not share a batch with
// other components.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	f := NewFactory()
	logs, err := f.CreateLogs(t.Context(), processorSettings(nil), f.CreateDefaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	assert.True(t, logs.Capabilities().MutatesData)
	traces, err := f.CreateTraces(t.Context(), processorSettings(nil), f.CreateDefaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	assert.True(t, traces.Capabilities().MutatesData)
}

// If the configuration does not list a signal, the batches of this signal stay unchanged.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, signals := range [][]string{{signalLogs}, {signalTraces}, {signalLogs, signalTraces}} {
		cfg := createDefaultConfig().(*Config)
		cfg.Signals = signals
		f := NewFactory()
		logs, err := f.CreateLogs(t.Context(), processorSettings(nil), cfg, consumertest.NewNop())
		require.NoError(t, err)
		traces, err := f.CreateTraces(t.Context(), processorSettings(nil), cfg, consumertest.NewNop())
		require.NoError(t, err)
		for _, c := range []component.Component{logs, traces} {
			require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
		}
		ld, r := oneLog(refused)
		require.NoError(t, logs.ConsumeLogs(t.Context(), ld))
		td := ptrace.NewTraces()
		s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		s.Status().SetCode(ptrace.StatusCodeError)
		require.NoError(t, traces.ConsumeTraces(t.Context(), td))
		for _, c := range []component.Component{logs, traces} {
			require.NoError(t, c.Shutdown(t.Context()))
		}
		both := len(signals) == 2
		assert.Equal(t, both || signals[0] == signalLogs, logs.Capabilities().MutatesData, "%v", signals)
		assert.Equal(t, both || signals[0] == signalTraces, traces.Capabilities().MutatesData, "%v", signals)
		assert.Equal(t, both || signals[0] == signalLogs, answer(r.Attributes()) != "", "%v", signals)
		assert.Equal(t, both || signals[0] == signalTraces, answer(s.Attributes()) != "", "%v", signals)
	}
}

// tooMany adds one attribute more than the processor reads.
func tooMany(r plog.LogRecord) {
	r.Attributes().EnsureCapacity(evidence.MaxAttributes + 1)
	var raw = make(map[string]any, evidence.MaxAttributes+1)
	for i := range evidence.MaxAttributes + 1 {
		raw[word(i)+word(i*31+7)] = int64(i)
	}
	_ = r.Attributes().FromRaw(raw)
}

// A record that cannot be read stays unchanged. The other records of its batch are
// classified.
func TestErrorMode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode    ErrorMode
		logged  int
		refused bool
	}{
		{ErrorModeIgnore, 1, false},
		{ErrorModeSilent, 0, false},
		{ErrorModePropagate, 0, true},
	}
	for _, tt := range tests {
		t.Run(string(tt.mode), func(t *testing.T) {
			t.Parallel()
			core, logged := observer.New(zap.WarnLevel)
			cfg := createDefaultConfig().(*Config)
			cfg.ErrorMode = tt.mode
			p, err := newProcessor(processorSettings(zap.New(core)), cfg, signalLog)
			require.NoError(t, err)
			ld, bad := oneLog(refused)
			tooMany(bad)
			before := bad.Attributes().Len()
			good := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().AppendEmpty()
			good.SetSeverityNumber(plog.SeverityNumberError)
			good.Body().SetStr(refused)
			_, err = p.logs(t.Context(), ld)
			if tt.refused {
				assert.EqualError(t, err, "Permanent error: errclass: 1 log could not be read: more than 16384 attributes")
				assert.True(t, consumererror.IsPermanent(err), "sending the batch again would not help")
				assert.ErrorIs(t, err, errTooManyAttributes)
			} else {
				assert.NoError(t, err)
			}
			assert.Equal(t, tt.logged, logged.Len())
			if tt.logged > 0 {
				assert.Equal(t, map[string]any{"signal": "log", "records": int64(1), "first_error": "more than 16384 attributes"}, logged.All()[0].ContextMap())
			}
			assert.Equal(t, before, bad.Attributes().Len())
			assert.Equal(t, "retryable/network", answer(good.Attributes()))
			require.NoError(t, p.shutdown(t.Context()))
		})
	}
}

// A panic while a record is classified affects only this record.
func TestPanic(t *testing.T) {
	t.Parallel()
	p := newTest(t, nil, signalLog)
	j := newJob(p)
	j.log(plog.LogRecord{})
	j.span(ptrace.Span{})
	assert.Equal(t, 2, j.unreadable)
	assert.ErrorContains(t, j.err, "panic: ")
	j.reset()
	ld, r := oneLog(refused)
	j.log(ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0))
	assert.Equal(t, "retryable/network", answer(r.Attributes()))
}

// All metric series exist from the start, and their number is fixed.
func TestTelemetry(t *testing.T) {
	t.Parallel()
	tel := componenttest.NewTelemetry()
	set := processorSettings(nil)
	set.TelemetrySettings = tel.NewTelemetrySettings()
	p, err := newProcessor(set, createDefaultConfig().(*Config), signalLog)
	require.NoError(t, err)
	points := func(n int64) (all []metricdata.DataPoint[int64]) {
		for _, pair := range evidence.Pairs {
			point := metricdata.DataPoint[int64]{Attributes: attribute.NewSet(
				attribute.String("category", string(pair.Category)), attribute.String("reason", string(pair.Reason)), attribute.String("signal", "log"))}
			if pair.Reason == "network" {
				point.Value = n
			}
			all = append(all, point)
		}
		return all
	}
	metadatatest.AssertEqualProcessorErrclassClassified(t, tel, points(0), metricdatatest.IgnoreTimestamp())
	ld, _ := oneLog(refused)
	records := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
	records.At(0).CopyTo(records.AppendEmpty())
	handled := records.AppendEmpty() // an exception below the severity is not counted
	handled.SetSeverityNumber(plog.SeverityNumberWarn)
	handled.Attributes().PutStr("exception.message", refused)
	tooMany(records.AppendEmpty())
	records.At(3).SetSeverityNumber(plog.SeverityNumberError)
	classified := records.AppendEmpty() // not counted again
	classified.SetSeverityNumber(plog.SeverityNumberError)
	classified.Attributes().PutStr("error.category", "fatal")
	_, err = p.logs(t.Context(), ld)
	require.NoError(t, err)
	p.rulesFault(os.ErrNotExist)
	metadatatest.AssertEqualProcessorErrclassClassified(t, tel, points(2), metricdatatest.IgnoreTimestamp())
	one := []metricdata.DataPoint[int64]{{Value: 1}}
	metadatatest.AssertEqualProcessorErrclassRulesReloadErrors(t, tel, one, metricdatatest.IgnoreTimestamp())
	one[0].Attributes = attribute.NewSet(attribute.String("signal", "log"))
	metadatatest.AssertEqualProcessorErrclassUnreadable(t, tel, one, metricdatatest.IgnoreTimestamp())
	require.NoError(t, p.shutdown(t.Context()))
	require.NoError(t, tel.Shutdown(t.Context()))
}

// When the rules file changes, the processor applies the new rules. If the new file
// is faulty, it keeps the old rules.
func TestRulesFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		tel := componenttest.NewTelemetry()
		core, logged := observer.New(zap.InfoLevel)
		set := processorSettings(nil)
		set.TelemetrySettings = tel.NewTelemetrySettings()
		set.Logger = zap.New(core)
		cfg := createDefaultConfig().(*Config)
		cfg.RulesFile = filepath.Join(dir, "rules.yaml")
		write := func(reason string) {
			rule := "rules:\n  - id: shop/closed\n    reason: " + reason + "\n    pattern: 'warehouse is closed'\n"
			require.NoError(t, os.WriteFile(cfg.RulesFile, []byte(rule), 0o600))
			time.Sleep(10 * time.Second) // of the test's clock
			synctest.Wait()
		}
		write("transient")
		require.NoError(t, cfg.Validate())
		p, err := newProcessor(set, cfg, signalLog)
		require.NoError(t, err)
		require.NoError(t, p.start(t.Context(), componenttest.NewNopHost()))
		got := func() string {
			ld, r := oneLog("warehouse is closed")
			_, err := p.logs(t.Context(), ld)
			require.NoError(t, err)
			return answer(r.Attributes())
		}
		assert.Equal(t, "retryable/transient", got())
		write("policy")
		assert.Equal(t, "fatal/policy", got())
		write("sometimes")
		assert.Equal(t, "fatal/policy", got())
		entries := logged.TakeAll()
		require.Len(t, entries, 2)
		assert.Equal(t, "rules file loaded again", entries[0].Message)
		assert.Equal(t, zap.ErrorLevel, entries[1].Level)
		fields := entries[1].ContextMap()
		assert.Equal(t, cfg.RulesFile, fields["rules_file"])
		assert.Equal(t, int64(3), fields["line"])
		metadatatest.AssertEqualProcessorErrclassRulesReloadErrors(t, tel, []metricdata.DataPoint[int64]{{Value: 1}}, metricdatatest.IgnoreTimestamp())
		write("logic")
		assert.Equal(t, "fatal/logic", got())
		require.NoError(t, p.shutdown(t.Context()))
		write("policy")
		assert.Equal(t, "fatal/logic", got(), "shutdown ends the watch")
		require.NoError(t, tel.Shutdown(t.Context()))
	})
}

// The Collector calls a processor from several goroutines.
func TestLogsConcurrentSafe(t *testing.T) {
	t.Parallel()
	p := newTest(t, func(c *Config) { c.AddFingerprint = true }, signalLog)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 8 {
				ld := newBatch(40, func(k int, r plog.LogRecord) { bodies[k%len(bodies)].fill(i*40+k, r) })
				_, err := p.logs(t.Context(), ld)
				assert.NoError(t, err)
				for k, r := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
					isError := strings.HasPrefix(bodies[k%len(bodies)].name, "error")
					assert.Equal(t, isError, answer(r.Attributes()) != "", bodies[k%len(bodies)].name)
				}
			}
		})
	}
	all.Wait()
}

// The documentation lists exactly the label values that occur.
func TestMetadata(t *testing.T) {
	t.Parallel()
	cm, err := confmaptest.LoadConf("metadata.yaml")
	require.NoError(t, err)
	var documented struct {
		Attributes map[string]struct {
			Enum []string `mapstructure:"enum"`
		} `mapstructure:"attributes"`
	}
	require.NoError(t, cm.Unmarshal(&documented, confmap.WithIgnoreUnused()))
	categories, reasons := map[string]bool{}, map[string]bool{}
	for _, pair := range evidence.Pairs {
		categories[string(pair.Category)], reasons[string(pair.Reason)] = true, true
	}
	assert.ElementsMatch(t, slices.Collect(maps.Keys(categories)), documented.Attributes["category"].Enum)
	assert.ElementsMatch(t, slices.Collect(maps.Keys(reasons)), documented.Attributes["reason"].Enum)
	assert.ElementsMatch(t, []string{signalLog, signalSpan}, documented.Attributes["signal"].Enum)
}
