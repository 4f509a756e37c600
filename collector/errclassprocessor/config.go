package errclassprocessor

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/errclass/errclass/classify/rulesfile"
	"github.com/errclass/errclass/internal/attrkey"
	"github.com/errclass/errclass/internal/bound"
	"github.com/errclass/errclass/internal/evidence"
)

// Config is the configuration of the processor. The file config.schema.yaml describes
// the configuration for text editors.
type Config struct {
	// Keys are the names of the attributes that the processor adds.
	Keys KeysConfig `mapstructure:"keys"`

	// MinSeverity is the lowest severity of log records that are classified: trace,
	// debug, info, warn, error or fatal. The default is error.
	MinSeverity string `mapstructure:"min_severity"`

	// Signals are the signals that are classified: logs, traces. The default is both.
	Signals []string `mapstructure:"signals"`

	// AddRule adds the id of the rule that determined the category and the reason.
	// The default is false.
	AddRule bool `mapstructure:"add_rule"`

	// AddConfidence adds the probability that the reason is right. The default is
	// false.
	AddConfidence bool `mapstructure:"add_confidence"`

	// AddFingerprint adds the id of the error's template. The template is the error's
	// text without values. The default is false.
	AddFingerprint bool `mapstructure:"add_fingerprint"`

	// RulesFile is a file with rules of the user. These take precedence over the
	// standard rules. If the file changes, the processor reads it again. By default
	// there is no such file.
	RulesFile string `mapstructure:"rules_file"`

	// MaxBytes is the maximum number of bytes of text that are read from one record
	// or span. If a text is longer, only its beginning and its end are read. The
	// default is 65536, which is also the largest valid value.
	MaxBytes int `mapstructure:"max_bytes"`

	// ErrorMode says what happens to a record that cannot be read. The default is
	// ignore.
	ErrorMode ErrorMode `mapstructure:"error_mode"`
}

// KeysConfig holds the names of the attributes.
type KeysConfig struct {
	Category    string `mapstructure:"category"`
	Reason      string `mapstructure:"reason"`
	Rule        string `mapstructure:"rule"`
	Confidence  string `mapstructure:"confidence"`
	Fingerprint string `mapstructure:"fingerprint"`
}

func (k *KeysConfig) names() attrkey.Names {
	return attrkey.Names{Category: k.Category, Reason: k.Reason, Rule: k.Rule, Confidence: k.Confidence, Fingerprint: k.Fingerprint}
}

// ErrorMode says what happens to a record that cannot be read.
type ErrorMode string

// The error modes.
const (
	ErrorModeIgnore    ErrorMode = "ignore"    // the record passes unchanged, and the error is logged
	ErrorModeSilent    ErrorMode = "silent"    // the record passes unchanged
	ErrorModePropagate ErrorMode = "propagate" // the batch is refused with a permanent error
)

// The signals.
const (
	signalLogs   = "logs"
	signalTraces = "traces"
)

// minBytes is the smallest valid max_bytes. Fewer bytes would cut off most messages.
const minBytes = 256

// severities lists the values of min_severity.
var severities = []struct {
	name   string
	number plog.SeverityNumber
}{
	{"trace", plog.SeverityNumberTrace},
	{"debug", plog.SeverityNumberDebug},
	{"info", plog.SeverityNumberInfo},
	{"warn", plog.SeverityNumberWarn},
	{"error", plog.SeverityNumberError},
	{"fatal", plog.SeverityNumberFatal},
}

var _ component.Config = (*Config)(nil)

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
		Signals:     []string{signalLogs, signalTraces},
		MaxBytes:    bound.MaxText,
		ErrorMode:   ErrorModeIgnore,
	}
}

// Validate returns all faults of the configuration. Each error begins with the name
// of the key. The rules file is also checked.
func (c *Config) Validate() error {
	errs := c.Keys.validate()
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.minSeverity() == plog.SeverityNumberUnspecified {
		bad("min_severity: %q is none of trace, debug, info, warn, error, fatal", c.MinSeverity)
	}
	if len(c.Signals) == 0 {
		bad("signals: the list is empty: name logs, traces or both")
	}
	for i, s := range c.Signals {
		switch {
		case s != signalLogs && s != signalTraces:
			bad("signals: %q is neither logs nor traces", s)
		case slices.Contains(c.Signals[:i], s):
			bad("signals: %q is there twice", s)
		}
	}
	if c.MaxBytes < minBytes || c.MaxBytes > bound.MaxText {
		bad("max_bytes: %d is not between %d and %d", c.MaxBytes, minBytes, bound.MaxText)
	}
	switch c.ErrorMode {
	case ErrorModeIgnore, ErrorModeSilent, ErrorModePropagate:
	default:
		bad("error_mode: %q is none of ignore, silent, propagate", c.ErrorMode)
	}
	if c.RulesFile != "" {
		if err := checkRules(c.RulesFile); err != nil {
			bad("rules_file: %w", err)
		}
	}
	return errors.Join(errs...)
}

// minSeverity returns the severity number for MinSeverity, or 0 if MinSeverity is
// not a valid severity.
func (c *Config) minSeverity() plog.SeverityNumber {
	for _, s := range severities {
		if s.name == strings.ToLower(c.MinSeverity) {
			return s.number
		}
	}
	return plog.SeverityNumberUnspecified
}

// checkRules reads a rules file.
func checkRules(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := rulesfile.Load(file); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// validate returns the faults in the names of the attributes.
func (k *KeysConfig) validate() (errs []error) {
	names := []struct{ key, value string }{
		{"category", k.Category}, {"reason", k.Reason}, {"rule", k.Rule}, {"confidence", k.Confidence}, {"fingerprint", k.Fingerprint},
	}
	for i, n := range names {
		switch {
		case n.value == "":
			errs = append(errs, fmt.Errorf("keys::%s: the name is empty", n.key))
		case strings.ContainsFunc(n.value, notInName):
			errs = append(errs, fmt.Errorf("keys::%s: %q has a space or a control character", n.key, n.value))
		case evidence.FieldOf(n.value) != evidence.None:
			errs = append(errs, fmt.Errorf("keys::%s: the processor reads %s as evidence: choose another name", n.key, n.value))
		}
		for _, other := range names[:i] {
			if n.value != "" && n.value == other.value {
				errs = append(errs, fmt.Errorf("keys::%s: %s is the name of keys::%s too", n.key, n.value, other.key))
			}
		}
	}
	return errs
}

// notInName reports whether a character may not be in the name of an attribute.
func notInName(r rune) bool { return r <= ' ' || r == 0x7f }
