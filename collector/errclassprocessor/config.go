package errclassprocessor

import (
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"
)

// Config is the configuration of the processor.
type Config struct {
	// Keys are the names of the attributes that the processor adds.
	Keys KeysConfig `mapstructure:"keys"`

	// MinSeverity is the lowest severity of the log records that are classified:
	// trace, debug, info, warn, error or fatal. The default is error.
	MinSeverity string `mapstructure:"min_severity"`

	// Signals are the signals that are classified: logs, traces. The default is both.
	Signals []string `mapstructure:"signals"`

	// AddRule adds the id of the rule that decided. The default is false.
	AddRule bool `mapstructure:"add_rule"`

	// AddConfidence adds the probability that the reason is right. The default is false.
	AddConfidence bool `mapstructure:"add_confidence"`

	// AddFingerprint adds the id of the error's template. The default is false.
	AddFingerprint bool `mapstructure:"add_fingerprint"`

	// RulesFile is a file of rules, which come before the standard ones. It is read
	// again when it changes. The default is no file.
	RulesFile string `mapstructure:"rules_file"`

	// MaxBytes is how much of the text of one record or span is read. The default is
	// 64 KiB.
	MaxBytes int `mapstructure:"max_bytes"`

	// ErrorMode says what happens if a record cannot be read: ignore (the record
	// passes and the error is logged), silent (the record passes), propagate (the
	// batch is refused). The default is ignore.
	ErrorMode ErrorMode `mapstructure:"error_mode"`
}

// KeysConfig are the names of the attributes.
type KeysConfig struct {
	Category    string `mapstructure:"category"`
	Reason      string `mapstructure:"reason"`
	Rule        string `mapstructure:"rule"`
	Confidence  string `mapstructure:"confidence"`
	Fingerprint string `mapstructure:"fingerprint"`
}

// ErrorMode says what happens if a record cannot be read.
type ErrorMode string

// The error modes.
const (
	ErrorModeIgnore    ErrorMode = "ignore"
	ErrorModeSilent    ErrorMode = "silent"
	ErrorModePropagate ErrorMode = "propagate"
)

func createDefaultConfig() component.Config {
	return &Config{
		Keys: KeysConfig{
			Category:    "error.category",
			Reason:      "error.reason",
			Rule:        "error.rule",
			Confidence:  "error.confidence",
			Fingerprint: "error.fingerprint",
		},
		MinSeverity: "error",
		Signals:     []string{"logs", "traces"},
		MaxBytes:    64 << 10,
		ErrorMode:   ErrorModeIgnore,
	}
}

// Validate reports all mistakes in the configuration.
func (c *Config) Validate() error {
	var errs []error
	switch c.ErrorMode {
	case ErrorModeIgnore, ErrorModeSilent, ErrorModePropagate:
	default:
		errs = append(errs, fmt.Errorf("error_mode: %q is none of ignore, silent, propagate", c.ErrorMode))
	}
	return errors.Join(errs...)
}
