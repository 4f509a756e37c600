package otelclass

import (
	"cmp"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/evidence"
)

// The attributes that a [Recorder] writes.
const (
	exceptionTypeKey    = attribute.Key("exception.type")
	exceptionMessageKey = attribute.Key("exception.message")
)

// keys is a set of the keys that this package writes.
type keys uint8

const (
	categoryKey keys = 1 << iota
	reasonKey
	ruleKey
	confidenceKey
	retryAfterKey
	fingerprintKey

	bothKeys   = categoryKey | reasonKey
	detailKeys = ruleKey | confidenceKey | retryAfterKey
)

// extraKey returns the bit of the key with this name, if [WithDetails] or
// [WithFingerprint] adds the key. Otherwise it returns 0.
func extraKey(name attribute.Key) keys {
	switch name {
	case RuleKey:
		return ruleKey
	case ConfidenceKey:
		return confidenceKey
	case RetryAfterMSKey:
		return retryAfterKey
	case FingerprintKey:
		return fingerprintKey
	}
	return 0
}

// facts holds those attributes that this package reads from one span, event or log
// record.
type facts struct {
	evidence.Facts
	keys             keys // the keys of this package that are set already
	category, reason string
	rule             string
	fingerprint      string
	confidence       float64
	retryAfter       int64 // in milliseconds
	hasRetryAfter    bool
}

// addAttr adds an attribute.
func (f *facts) addAttr(cfg *config, kv *attribute.KeyValue) {
	if kv.Key == cfg.category {
		f.keys, f.category = f.keys|categoryKey, kv.Value.AsString()
		return
	}
	if kv.Key == cfg.reason {
		f.keys, f.reason = f.keys|reasonKey, kv.Value.AsString()
		return
	}
	switch kv.Key {
	case RuleKey:
		f.keys, f.rule = f.keys|ruleKey, kv.Value.AsString()
	case FingerprintKey:
		f.keys, f.fingerprint = f.keys|fingerprintKey, kv.Value.AsString()
	case ConfidenceKey:
		f.keys, f.confidence = f.keys|confidenceKey, kv.Value.AsFloat64()
	case RetryAfterMSKey:
		f.keys, f.retryAfter = f.keys|retryAfterKey, kv.Value.AsInt64()
		f.hasRetryAfter = kv.Value.Type() == attribute.INT64
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

// isException reports whether attrs has an exception.* attribute. The name of the
// event is not used, because it differs between domains
// (http.client.request.exception).
func isException(attrs []attribute.KeyValue) bool {
	for i := range attrs {
		if evidence.FieldOf(string(attrs[i].Key)).IsException() {
			return true
		}
	}
	return false
}

// missing returns the keys that must be added. If both category and reason are
// already set, it returns none, because the details would belong to another
// classification.
func (f *facts) missing(cfg *config) keys {
	wanted := cfg.wanted()
	if wanted&bothKeys&^f.keys == 0 {
		return 0
	}
	return wanted &^ f.keys
}

// wanted returns the keys that the package writes. WithKeys can give several
// attributes the same key. Then only the first of these attributes is written.
// Their order is category, reason, rule, confidence, retry-after, fingerprint.
func (c *config) wanted() keys {
	wanted := categoryKey
	if c.reason != c.category {
		wanted |= reasonKey
	}
	return wanted | c.extra&^(extraKey(c.category)|extraKey(c.reason))
}

// existing returns the category and reason that are set already. ok is false if no
// classifier returns these values.
func (f *facts) existing() (res classify.Result, ok bool) {
	if f.keys&bothKeys != bothKeys {
		return res, false
	}
	return evidence.Existing(f.category, f.reason, &f.Facts)
}

// values has a value for each attribute that this package may write.
type values struct {
	category, reason string
	rule             string // "" if not known
	fingerprint      string // likewise
	confidence       float64
	retryAfter       int64 // in milliseconds
	hasRetryAfter    bool
}

// valuesOf returns the values for res. It rounds the retry-after hint up, so that a
// client does not retry too early.
func valuesOf(res *classify.Result) values {
	return values{
		category: string(res.Category), reason: string(res.Reason), rule: res.Rule, confidence: res.Confidence,
		retryAfter: (res.RetryAfter + time.Millisecond - 1).Milliseconds(), hasRetryAfter: res.HasRetryAfter,
	}
}

// values converts a decision to attribute values. The fingerprint is computed only
// if WithFingerprint is set.
func (c *config) values(d *evidence.Decision) values {
	v := valuesOf(&d.Result)
	if c.extra&fingerprintKey != 0 {
		v.fingerprint = d.Fingerprint()
	}
	return v
}

// override replaces values of v by values that f already has, and returns v. It
// ignores a value of the wrong type.
func (f *facts) override(v values) values {
	v.category, v.reason, v.rule = cmp.Or(f.category, v.category), cmp.Or(f.reason, v.reason), cmp.Or(f.rule, v.rule)
	v.confidence, v.fingerprint = cmp.Or(f.confidence, v.confidence), cmp.Or(f.fingerprint, v.fingerprint)
	if f.keys&retryAfterKey != 0 {
		v.retryAfter, v.hasRetryAfter = f.retryAfter, f.hasRetryAfter
	}
	return v
}

// append appends to the slice "to" the wanted attributes that have a value.
func (c *config) append(to []attribute.KeyValue, wanted keys, v values) []attribute.KeyValue {
	if wanted&categoryKey != 0 {
		to = append(to, c.category.String(v.category))
	}
	if wanted&reasonKey != 0 {
		to = append(to, c.reason.String(v.reason))
	}
	if wanted&ruleKey != 0 && v.rule != "" {
		to = append(to, RuleKey.String(v.rule))
	}
	if wanted&confidenceKey != 0 && v.confidence != 0 {
		to = append(to, ConfidenceKey.Float64(v.confidence))
	}
	if wanted&retryAfterKey != 0 && v.hasRetryAfter {
		to = append(to, RetryAfterMSKey.Int64(v.retryAfter))
	}
	if wanted&fingerprintKey != 0 && v.fingerprint != "" {
		to = append(to, FingerprintKey.String(v.fingerprint))
	}
	return to
}
