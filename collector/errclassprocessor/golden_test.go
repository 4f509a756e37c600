package errclassprocessor

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/plogtest"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/ptracetest"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/errclass/errclass/collector/errclassprocessor/internal/metadata"
)

var update = flag.Bool("update", false, "write the expected files of the golden tests")

// Each directory below testdata/logs has an input and the expected output.
func TestGoldenLogs(t *testing.T) {
	t.Parallel()
	for dir, id := range map[string]component.ID{
		"default": component.NewID(metadata.Type),
		"all":     component.NewIDWithName(metadata.Type, "all"),
	} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("testdata", "logs", dir)
			sink := new(consumertest.LogsSink)
			p, err := NewFactory().CreateLogs(t.Context(), processortest.NewNopSettings(metadata.Type), loadConfig(t, id), sink)
			require.NoError(t, err)
			require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
			input, err := golden.ReadLogs(filepath.Join(dir, "input.yaml"))
			require.NoError(t, err)
			require.NoError(t, p.ConsumeLogs(t.Context(), input))
			require.NoError(t, p.Shutdown(t.Context()))
			got := sink.AllLogs()[0]
			if *update {
				require.NoError(t, golden.WriteLogsToFile(filepath.Join(dir, "expected.yaml"), got))
			}
			want, err := golden.ReadLogs(filepath.Join(dir, "expected.yaml"))
			require.NoError(t, err)
			require.NoError(t, plogtest.CompareLogs(want, got))
		})
	}
}

// The directory testdata/traces/default has an input and the expected output.
func TestGoldenTraces(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("testdata", "traces", "default")
	sink := new(consumertest.TracesSink)
	p, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(metadata.Type), loadConfig(t, component.NewID(metadata.Type)), sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	input, err := golden.ReadTraces(filepath.Join(dir, "input.yaml"))
	require.NoError(t, err)
	require.NoError(t, p.ConsumeTraces(t.Context(), input))
	require.NoError(t, p.Shutdown(t.Context()))
	got := sink.AllTraces()[0]
	if *update {
		require.NoError(t, golden.WriteTracesToFile(filepath.Join(dir, "expected.yaml"), got))
	}
	want, err := golden.ReadTraces(filepath.Join(dir, "expected.yaml"))
	require.NoError(t, err)
	require.NoError(t, ptracetest.CompareTraces(want, got))
}
