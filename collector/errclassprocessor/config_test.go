package errclassprocessor

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"

	"github.com/errclass/errclass/collector/errclassprocessor/internal/metadata"
)

// readConfig returns the configuration in testdata/config.yaml that has this id.
func readConfig(tb testing.TB, id component.ID) (*Config, error) {
	tb.Helper()
	cm, err := confmaptest.LoadConf(filepath.Join("testdata", "config.yaml"))
	require.NoError(tb, err)
	sub, err := cm.Sub(id.String())
	require.NoError(tb, err)
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	if err := sub.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, confmap.Validate(cfg)
}

func loadConfig(tb testing.TB, id component.ID) *Config {
	tb.Helper()
	cfg, err := readConfig(tb, id)
	require.NoError(tb, err)
	return cfg
}

func TestLoadConfig(t *testing.T) {
	t.Parallel()
	assert.Equal(t, createDefaultConfig(), loadConfig(t, component.NewID(metadata.Type)))
	assert.Equal(t, &Config{
		Keys:           KeysConfig{Category: "err.what", Reason: "err.why", Rule: "err.rule", Confidence: "err.sure", Fingerprint: "err.id"},
		MinSeverity:    "WARN",
		Signals:        []string{"logs", "traces"},
		AddRule:        true,
		AddConfidence:  true,
		AddFingerprint: true,
		RulesFile:      "testdata/rules.yaml",
		MaxBytes:       4096,
		ErrorMode:      ErrorModeSilent,
	}, loadConfig(t, component.NewIDWithName(metadata.Type, "all")))
}

// Each faulty setting is refused. The error contains the name of the setting.
func TestConfigFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		want []string
	}{
		{"unknown_key", []string{"min_severty"}},
		{"keys", []string{
			"keys::category: the name is empty",
			`keys::reason: "error reason" has a space or a control character`,
			"keys::confidence: error.confidence is the name of keys::rule too",
			"keys::fingerprint: the processor reads exception.message as evidence: choose another name",
		}},
		{"min_severity", []string{`min_severity: "loud" is none of trace, debug, info, warn, error, fatal`}},
		{"no_signals", []string{"signals: the list is empty: name logs, traces or both"}},
		{"signals", []string{`signals: "metrics" is neither logs nor traces`, `signals: "logs" is there twice`}},
		{"max_bytes", []string{"max_bytes: 12 is not between 256 and 65536"}},
		{"max_bytes_high", []string{"max_bytes: 65537 is not between 256 and 65536"}},
		{"error_mode", []string{`error_mode: "stop" is none of ignore, silent, propagate`}},
		{"rules_file_missing", []string{"rules_file: open testdata/none.yaml: no such file or directory"}},
		{"rules_file_fault", []string{"rules_file: testdata/fault.yaml: line 3:", "sometimes"}},
		{"type", []string{"add_rule"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := readConfig(t, component.NewIDWithName(metadata.Type, tt.name))
			for _, want := range tt.want {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

// A rules file may become faulty after Validate. The processor then refuses to
// start.
func TestStartFaults(t *testing.T) {
	t.Parallel()
	p, err := newProcessor(processorSettings(nil), &Config{RulesFile: "testdata/fault.yaml", Keys: createDefaultConfig().(*Config).Keys}, signalLog)
	require.NoError(t, err)
	assert.ErrorContains(t, p.start(t.Context(), componenttest.NewNopHost()), "rules_file: rules file testdata/fault.yaml: line 3:")
	assert.NoError(t, p.shutdown(t.Context()))
}
