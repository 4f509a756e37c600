package errclassprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/errclass/errclass/collector/errclassprocessor/internal/metadata"
	"github.com/errclass/errclass/internal/evidence"
)

// These are the values of the metric label "signal".
const (
	signalLog  = "log"
	signalSpan = "span"
)

// telemetry has the counters of one pipeline. All series start at 0, because Prometheus
// misses the first event of a series that begins at 1.
type telemetry struct {
	signal     string
	builder    *metadata.TelemetryBuilder
	classified [][]metric.AddOption // for each of evidence.Pairs, by index
	unreadable []metric.AddOption
}

func newTelemetry(set component.TelemetrySettings, signal string) (*telemetry, error) {
	builder, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	t := &telemetry{signal: signal, builder: builder}
	label := attribute.String("signal", signal)
	for _, p := range evidence.Pairs {
		labels := addOption(attribute.String("category", string(p.Category)), attribute.String("reason", string(p.Reason)), label)
		builder.ProcessorErrclassClassified.Add(context.Background(), 0, labels...)
		t.classified = append(t.classified, labels)
	}
	t.unreadable = addOption(label)
	builder.ProcessorErrclassUnreadable.Add(context.Background(), 0, t.unreadable...)
	builder.ProcessorErrclassRulesReloadErrors.Add(context.Background(), 0)
	return t, nil
}

func addOption(labels ...attribute.KeyValue) []metric.AddOption {
	return []metric.AddOption{metric.WithAttributeSet(attribute.NewSet(labels...))}
}

// count adds the counts of a batch to the metrics.
func (t *telemetry) count(ctx context.Context, j *job) {
	if j.classified > 0 {
		for i, n := range j.counts {
			if n > 0 {
				t.builder.ProcessorErrclassClassified.Add(ctx, n, t.classified[i]...)
			}
		}
	}
	if j.unreadable > 0 {
		t.builder.ProcessorErrclassUnreadable.Add(ctx, int64(j.unreadable), t.unreadable...)
	}
}

// reloadFailed counts a rules file that cannot be used.
func (t *telemetry) reloadFailed() {
	t.builder.ProcessorErrclassRulesReloadErrors.Add(context.Background(), 1)
}

func (t *telemetry) shutdown() { t.builder.Shutdown() }
