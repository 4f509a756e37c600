package otelclass

import (
	"context"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

// point identifies a series by the label value of each dimension. "" means no value.
type point [dimensions]string

// project returns p with only the dimensions that m has as labels.
func (m Metric) project(p point) (projected point) {
	for _, l := range m.Labels {
		if l.Value < dimensions {
			projected[l.Value] = p[l.Value]
		}
	}
	return projected
}

// attributes returns the labels of a point. A dimension without a value gives no
// label.
func (m Metric) attributes(p point) attribute.Set {
	kvs := make([]attribute.KeyValue, 0, len(m.Labels))
	for _, l := range m.Labels {
		if l.Value < dimensions && l.Key != "" && p[l.Value] != "" {
			kvs = append(kvs, attribute.String(l.Key, p[l.Value]))
		}
	}
	return attribute.NewSet(kvs...)
}

// series is a counter with a series for each combination of label values. The series
// exist from the start, because Prometheus sees no increase in a series that begins
// with 1.
type series struct {
	metric Metric
	count  metric.Int64Counter
	labels map[point][]metric.AddOption
	later  sync.Map    // point -> []metric.AddOption: the series that the method begin has created
	exist  atomic.Bool // the series exist: an SDK has got their zeros
}

// newSeries creates the counter, with a series for each point. Each series starts with a
// zero. Until otel.SetMeterProvider is called, a meter of otel.Meter drops these zeros.
// The first count after that call adds the zeros again.
func newSeries(meter metric.Meter, m Metric, unit, description string, points []point) (*series, error) {
	count, err := meter.Int64Counter(m.Name, metric.WithUnit(unit), metric.WithDescription(description))
	if err != nil {
		return nil, newInstrumentError(m.Name, err)
	}
	s := &series{metric: m, count: count, labels: make(map[point][]metric.AddOption, len(points))}
	for _, p := range points {
		if p = m.project(p); s.labels[p] == nil {
			s.labels[p] = s.newLabels(p)
		}
	}
	s.create()
	return s, nil
}

// create gives the SDK a zero for each series, if there is an SDK.
func (s *series) create() {
	if !s.count.Enabled(context.Background()) || s.exist.Swap(true) {
		return
	}
	for _, labels := range s.labels {
		s.count.Add(context.Background(), 0, labels...)
	}
	for _, labels := range s.later.Range {
		s.count.Add(context.Background(), 0, labels.([]metric.AddOption)...)
	}
}

// begin creates further series with the value 0.
func (s *series) begin(points []point) {
	for _, p := range points {
		p = s.metric.project(p)
		labels := s.newLabels(p)
		if _, exists := s.later.LoadOrStore(p, labels); !exists {
			s.count.Add(context.Background(), 0, labels...)
		}
	}
}

func (s *series) newLabels(p point) []metric.AddOption {
	return []metric.AddOption{metric.WithAttributeSet(s.metric.attributes(p))}
}

// add adds one to the series of p.
func (s *series) add(ctx context.Context, p point) {
	if ctx == nil {
		ctx = context.Background()
	}
	if !s.exist.Load() {
		s.create()
	}
	p = s.metric.project(p)
	labels := s.labels[p]
	if labels == nil {
		if created, ok := s.later.Load(p); ok {
			labels = created.([]metric.AddOption)
		} else {
			labels = s.newLabels(p) // an undeclared target of a fallback
		}
	}
	s.count.Add(ctx, 1, labels...)
}

// newInstrumentError returns the error of a meter that rejected an instrument. If
// err is nil, it returns nil.
func newInstrumentError(name string, err error) error {
	if err == nil {
		return nil
	}
	return &failure{kind: "instrument", text: `cannot create "` + name + `", see WithNaming`, err: err}
}

// orNoop returns meter. If meter is nil, it returns a no-op meter.
func orNoop(meter metric.Meter) metric.Meter {
	if meter == nil {
		return noop.NewMeterProvider().Meter("")
	}
	return meter
}
