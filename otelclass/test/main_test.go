package test_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// nothing is what telemetry says that is no error.
const nothing = "<nil>/<nil>"

// classified is what attributes say about the error. A key that stands twice
// fails the test.
func classified(t require.TestingT, attrs map[string][]string) string {
	said := []string{"<nil>", "<nil>"}
	for i, key := range []string{"error.category", "error.reason"} {
		if values := attrs[key]; len(values) > 0 {
			require.Len(t, values, 1, "key %q stands twice", key)
			said[i] = values[0]
		}
	}
	return said[0] + "/" + said[1]
}

func add(to map[string][]string, kv attribute.KeyValue) {
	to[string(kv.Key)] = append(to[string(kv.Key)], kv.Value.String())
}

func attributes(kvs []attribute.KeyValue) map[string][]string {
	all := map[string][]string{}
	for _, kv := range kvs {
		add(all, kv)
	}
	return all
}

func recordAttributes(r *sdklog.Record) map[string][]string {
	all := map[string][]string{}
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		add(all, kv)
		return true
	})
	return all
}

// records is a log exporter that keeps what it is given.
type records struct{ all []sdklog.Record }

func (e *records) Export(_ context.Context, rs []sdklog.Record) error {
	for _, r := range rs {
		e.all = append(e.all, r.Clone())
	}
	return nil
}

func (*records) Shutdown(context.Context) error   { return nil }
func (*records) ForceFlush(context.Context) error { return nil }

// said are what records say, in order.
func (e *records) said(t require.TestingT) []string {
	all := []string{}
	for i := range e.all {
		all = append(all, classified(t, recordAttributes(&e.all[i])))
	}
	return all
}
