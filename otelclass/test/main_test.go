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

// nothing is the result of the function classified for attributes that have neither a
// category nor a reason.
const nothing = "<nil>/<nil>"

// classified returns the category and reason of attributes as "category/reason".
// It fails on a duplicate key.
func classified(t require.TestingT, attrs map[string][]string) string {
	result := []string{"<nil>", "<nil>"}
	for i, key := range []string{"error.category", "error.reason"} {
		if values := attrs[key]; len(values) > 0 {
			require.Len(t, values, 1, "duplicate key %q", key)
			result[i] = values[0]
		}
	}
	return result[0] + "/" + result[1]
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

// records is a log exporter that stores the records.
type records struct{ all []sdklog.Record }

func (e *records) Export(_ context.Context, rs []sdklog.Record) error {
	for _, r := range rs {
		e.all = append(e.all, r.Clone())
	}
	return nil
}

func (*records) Shutdown(context.Context) error   { return nil }
func (*records) ForceFlush(context.Context) error { return nil }

// classified returns the category and reason of each record, in order.
func (e *records) classified(t require.TestingT) []string {
	all := []string{}
	for i := range e.all {
		all = append(all, classified(t, recordAttributes(&e.all[i])))
	}
	return all
}
