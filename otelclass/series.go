package otelclass

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

// point is where a series stands in each dimension, "" where that says nothing.
type point [dimensions]string

// of returns the part of p that a label of m tells.
func (m Metric) of(p point) (told point) {
	for _, l := range m.Labels {
		if l.Value < dimensions {
			told[l.Value] = p[l.Value]
		}
	}
	return told
}

// set are the labels of a point. A dimension that says nothing has no label.
func (m Metric) set(p point) attribute.Set {
	kvs := make([]attribute.KeyValue, 0, len(m.Labels))
	for _, l := range m.Labels {
		if l.Value < dimensions && l.Key != "" && p[l.Value] != "" {
			kvs = append(kvs, attribute.String(l.Key, p[l.Value]))
		}
	}
	return attribute.NewSet(kvs...)
}

// series are a counter and its series. Those that can be foreseen are created
// at 0: for Prometheus a series that begins with 1 has not increased. The table
// is not written to once it is made, so counting takes no lock of ours.
type series struct {
	metric Metric
	count  metric.Int64Counter
	known  map[point][]metric.AddOption
}

// newSeries makes the counter with a series at 0 for each of the points.
func newSeries(meter metric.Meter, m Metric, unit, description string, points []point) (*series, error) {
	count, err := meter.Int64Counter(m.Name, metric.WithUnit(unit), metric.WithDescription(description))
	if err != nil {
		return nil, instrumentError(m.Name, err)
	}
	s := &series{m, count, make(map[point][]metric.AddOption, len(points))}
	for _, p := range points {
		if p = m.of(p); s.known[p] == nil {
			s.known[p] = s.labels(p)
			count.Add(context.Background(), 0, s.known[p]...)
		}
	}
	return s, nil
}

func (s *series) labels(p point) []metric.AddOption {
	return []metric.AddOption{metric.WithAttributeSet(s.metric.set(p))}
}

// add counts one more at p.
func (s *series) add(ctx context.Context, p point) {
	if ctx == nil {
		ctx = context.Background()
	}
	p = s.metric.of(p)
	labels := s.known[p]
	if labels == nil {
		labels = s.labels(p) // a target of a fallback that was not declared
	}
	s.count.Add(ctx, 1, labels...)
}

func instrumentError(name string, err error) error {
	return &failure{kind: "instrument", text: `cannot create "` + name + `", see WithNaming`, err: err}
}

// orNoop is meter, or one that counts nothing where there is none.
func orNoop(meter metric.Meter) metric.Meter {
	if meter == nil {
		return noop.NewMeterProvider().Meter("")
	}
	return meter
}
