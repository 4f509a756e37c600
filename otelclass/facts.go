package otelclass

import (
	"cmp"

	"go.opentelemetry.io/otel/attribute"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/attrkey"
	"github.com/errclass/errclass/internal/evidence"
)

// These are the keys of the exception attributes that a [Recorder] writes.
const (
	exceptionTypeKey    = attribute.Key("exception.type")
	exceptionMessageKey = attribute.Key("exception.message")
)

// facts has the attributes that this package reads from one span, event or log
// record.
type facts struct {
	evidence.Facts
	keys             attrkey.Set // keys of this package that the caller or a Recorder has set
	category, reason string
	rule             string
	fingerprint      string
	confidence       float64
	retryAfter       int64 // in milliseconds
	hasRetryAfter    bool
}

// addAttr adds an attribute.
func (f *facts) addAttr(cfg *config, kv *attribute.KeyValue) {
	key := cfg.names.Find(string(kv.Key))
	f.keys |= key
	switch key {
	case attrkey.Category:
		f.category = kv.Value.AsString()
	case attrkey.Reason:
		f.reason = kv.Value.AsString()
	case attrkey.Rule:
		f.rule = kv.Value.AsString()
	case attrkey.Confidence:
		f.confidence = kv.Value.AsFloat64()
	case attrkey.RetryAfter:
		f.retryAfter, f.hasRetryAfter = kv.Value.AsInt64(), kv.Value.Type() == attribute.INT64
	case attrkey.Fingerprint:
		f.fingerprint = kv.Value.AsString()
	default:
		field := evidence.FieldOf(string(kv.Key))
		switch {
		case field == evidence.None:
		case kv.Value.Type() == attribute.INT64:
			f.SetInt(field, kv.Value.AsInt64())
		default:
			f.SetText(field, kv.Value.AsString())
		}
	}
}

// isException reports whether attrs has an exception.* attribute.
func isException(attrs []attribute.KeyValue) bool {
	for i := range attrs {
		if evidence.IsException(string(attrs[i].Key)) {
			return true
		}
	}
	return false
}

// existing returns the category and the reason that f already has. If one is
// missing, or if they do not form a valid pair, ok is false.
func (f *facts) existing() (res classify.Result, ok bool) {
	if f.keys&attrkey.Both != attrkey.Both {
		return res, false
	}
	return evidence.Existing(f.category, f.reason, &f.Facts)
}

// values has a value for each attribute that this package may write.
type values struct {
	category, reason string
	rule             string // "" if not known
	fingerprint      string // "" if not known
	confidence       float64
	retryAfter       int64 // in milliseconds
	hasRetryAfter    bool
}

// valuesOf returns the values for res.
func valuesOf(res *classify.Result) values {
	return values{
		category: string(res.Category), reason: string(res.Reason), rule: res.Rule, confidence: res.Confidence,
		retryAfter: attrkey.Milliseconds(res.RetryAfter), hasRetryAfter: res.HasRetryAfter,
	}
}

// values converts a decision to attribute values. It computes the fingerprint
// only if WithFingerprint is set.
func (c *config) values(d *evidence.Decision) values {
	v := valuesOf(&d.Result)
	if c.extra&attrkey.Fingerprint != 0 {
		v.fingerprint = d.Fingerprint()
	}
	return v
}

// override returns a copy of v. In the copy, each value that f already has replaces
// the value of v.
func (f *facts) override(v values) values {
	v.category, v.reason, v.rule = cmp.Or(f.category, v.category), cmp.Or(f.reason, v.reason), cmp.Or(f.rule, v.rule)
	v.confidence, v.fingerprint = cmp.Or(f.confidence, v.confidence), cmp.Or(f.fingerprint, v.fingerprint)
	if f.keys&attrkey.RetryAfter != 0 {
		v.retryAfter, v.hasRetryAfter = f.retryAfter, f.hasRetryAfter
	}
	return v
}

// append appends to dst those wanted attributes that have a value, and returns the
// result.
func (c *config) append(dst []attribute.KeyValue, wanted attrkey.Set, v values) []attribute.KeyValue {
	if wanted&attrkey.Category != 0 {
		dst = append(dst, attribute.String(c.names.Category, v.category))
	}
	if wanted&attrkey.Reason != 0 {
		dst = append(dst, attribute.String(c.names.Reason, v.reason))
	}
	if wanted&attrkey.Rule != 0 && v.rule != "" {
		dst = append(dst, RuleKey.String(v.rule))
	}
	if wanted&attrkey.Confidence != 0 && v.confidence != 0 {
		dst = append(dst, ConfidenceKey.Float64(v.confidence))
	}
	if wanted&attrkey.RetryAfter != 0 && v.hasRetryAfter {
		dst = append(dst, RetryAfterMSKey.Int64(v.retryAfter))
	}
	if wanted&attrkey.Fingerprint != 0 && v.fingerprint != "" {
		dst = append(dst, FingerprintKey.String(v.fingerprint))
	}
	return dst
}
