package otelclass

import (
	"cmp"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/internal/bound"
)

// These are the attributes that are read as evidence. The names are those of
// OpenTelemetry's semantic conventions 1.43. http.status_code,
// rpc.grpc.status_code, rpc.system, db.system and gen_ai.system come from older
// versions.
const (
	exceptionTypeKey    = attribute.Key("exception.type")
	exceptionMessageKey = attribute.Key("exception.message")
	exceptionStackKey   = attribute.Key("exception.stacktrace")
	httpStatusKey       = attribute.Key("http.response.status_code")
	httpStatusOldKey    = attribute.Key("http.status_code")
	rpcStatusKey        = attribute.Key("rpc.response.status_code")
	grpcStatusKey       = attribute.Key("rpc.grpc.status_code")
	rpcSystemKey        = attribute.Key("rpc.system.name")
	rpcSystemOldKey     = attribute.Key("rpc.system")
	dbStatusKey         = attribute.Key("db.response.status_code")
	dbSystemKey         = attribute.Key("db.system.name")
	dbSystemOldKey      = attribute.Key("db.system")
	errorTypeKey        = attribute.Key("error.type")
	providerKey         = attribute.Key("gen_ai.provider.name")
	providerOldKey      = attribute.Key("gen_ai.system")
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

// facts holds the evidence in the attributes of one span, event or log record.
type facts struct {
	keys             keys // the keys of this package that are set already
	category, reason string
	rule             string
	fingerprint      string
	confidence       float64
	retryAfter       int64 // in milliseconds
	hasRetryAfter    bool
	exception        bool // there is an exception.* attribute
	exceptionType    string
	message, stack   string
	errorType        string
	ownDeadline      bool   // errorType names this program's own deadline; see isOwnDeadline
	rpc, rpcSystem   string // rpc is a code of rpcSystem
	grpc             string // a gRPC status code
	db, dbSystem     string // db is a code of dbSystem
	status           int    // an HTTP status
	provider         string
}

// addAttr adds the evidence in an attribute to f.
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
	case exceptionTypeKey:
		f.exception, f.exceptionType = true, name(kv)
	case exceptionMessageKey:
		f.exception, f.message = true, kv.Value.AsString()
	case exceptionStackKey:
		f.exception, f.stack = true, kv.Value.AsString()
	case httpStatusKey:
		f.status = cmp.Or(httpStatus(kv), f.status)
	case httpStatusOldKey:
		f.status = cmp.Or(f.status, httpStatus(kv))
	case rpcStatusKey:
		f.rpc = code(kv)
	case rpcSystemKey, rpcSystemOldKey:
		f.rpcSystem = name(kv)
	case grpcStatusKey:
		f.grpc = code(kv)
	case dbStatusKey:
		f.db = code(kv)
	case dbSystemKey, dbSystemOldKey:
		f.dbSystem = name(kv)
	case errorTypeKey:
		f.errorType = name(kv)
	case providerKey:
		f.provider = name(kv)
	case providerOldKey:
		f.provider = cmp.Or(f.provider, name(kv))
	}
}

// name returns the first maxName bytes of a string attribute.
func name(kv *attribute.KeyValue) string {
	s := kv.Value.AsString()
	return s[:min(len(s), maxName)]
}

// code returns an attribute with a code as a string. Instrumentations write numeric
// codes as integers or as strings. For the number 0, which means success, it
// returns "".
func code(kv *attribute.KeyValue) string {
	if kv.Value.Type() == attribute.INT64 {
		if n := kv.Value.AsInt64(); n != 0 {
			return strconv.FormatInt(n, 10)
		}
	}
	return name(kv)
}

// httpStatus returns an HTTP status from 400 to 599, or 0.
func httpStatus(kv *attribute.KeyValue) int {
	n, err := strconv.Atoi(code(kv))
	if err != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}

// grpcCode returns a numeric gRPC code in a form that the classifier recognises:
// "14" -> "grpc-status: 14". It returns "" for 0, because 0 means success. It
// returns other codes unchanged.
func grpcCode(code string) string {
	n, err := strconv.ParseInt(code, 10, 64)
	switch {
	case err != nil:
		return code
	case n > 0:
		return "grpc-status: " + strconv.FormatInt(n, 10)
	}
	return ""
}

// rpcCode returns the value of rpc.response.status_code. A number from 0 to 16 is a
// gRPC code, unless rpc.system names another system, such as JSON-RPC.
func (f *facts) rpcCode() string {
	if n, err := strconv.Atoi(f.rpc); err == nil && 0 <= n && n <= 16 && (f.rpcSystem == "" || f.rpcSystem == "grpc") {
		return grpcCode(f.rpc)
	}
	return f.rpc
}

// isException reports whether attrs has an exception.* attribute. The name of the
// event is not used, because it differs between domains
// (http.client.request.exception).
func isException(attrs []attribute.KeyValue) bool {
	for i := range attrs {
		switch attrs[i].Key {
		case exceptionTypeKey, exceptionMessageKey, exceptionStackKey:
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

// existing returns the category and reason that are already set. ok is false if no
// classifier returns these values. Such values must not become metric labels.
func (f *facts) existing() (res classify.Result, ok bool) {
	if f.keys&bothKeys != bothKeys {
		return res, false
	}
	res = classify.Result{
		Category: classify.Category(f.category), Reason: classify.Reason(f.reason),
		Status: f.status, Provider: f.provider,
	}
	return res, knownPair(res.Category, res.Reason)
}

// exceptionEvidence returns exception.type and exception.message as evidence. It
// takes at most n bytes of the two together.
func (f *facts) exceptionEvidence(t *bound.Texts, n int) classify.Evidence {
	e := classify.Evidence{Type: t.Cut(f.exceptionType, maxName), Provider: f.provider}
	e.Message = t.Cut(f.message, n-len(e.Type))
	if err := deadlineError(f.exceptionType); err != nil {
		// Pass the deadline as an error value, so that it outranks the status.
		e.Err, e.Type, e.Message = &recordedError{e.Message, err}, "", ""
	}
	return e
}

// outcome returns the evidence of how a call ended. text becomes the message. Only
// this program's own deadline becomes the Type. Other values of error.type do not,
// because a peer may have written them.
func (f *facts) outcome(text string) classify.Evidence {
	if f.ownDeadline {
		return classify.Evidence{Type: f.errorType, Message: text}
	}
	e := classify.Evidence{Status: f.status, Code: cmp.Or(f.rpcCode(), grpcCode(f.grpc)), Message: text, Provider: f.provider}
	if f.db != "" {
		if e.Err = databaseError(f.dbSystem, f.db, text); e.Err != nil {
			e.Message = "" // the error has the text
		} else {
			e.Code = cmp.Or(e.Code, f.db)
		}
	}
	e.Code = cmp.Or(e.Code, f.errorType)
	return e
}

// isKnown reports whether a rule, and not only the model, has found the reason.
func isKnown(r *classify.Result) bool {
	return r.Category != "" && r.Reason != classify.ReasonUnknown && r.Rule != classify.RuleModel
}

// decision is the result of several sources of evidence. The sources are tried in
// order of importance. The first source for which a rule finds the reason decides.
// If there is no such source, the first source for which the model finds the reason
// decides. Otherwise the first source decides.
type decision struct {
	classify.Result
	known  bool
	source classify.Evidence // what decided
	status int               // HTTP status of the span that the sources belong to
}

// add classifies a source, unless an earlier source has decided.
func (d *decision) add(c *classify.Classifier, e classify.Evidence) {
	if d.known {
		return
	}
	r := c.Classify(e)
	if e.Err == nil && e.Status == 0 && d.status != 0 && (r.Reason == classify.ReasonAborted || r.Reason == classify.ReasonTimeout) {
		// Only a text says that the call was aborted or timed out. The span's
		// status may outrank the text, so classify the text again together with the
		// status.
		e.Status = d.status
		r = c.Classify(e)
	}
	d.known = isKnown(&r)
	if d.known || d.Category == "" || d.Reason == classify.ReasonUnknown && r.Rule == classify.RuleModel {
		d.Result, d.source = r, e
	}
}

// fingerprint returns the fingerprint of the source that decided. It returns "" if
// the source has neither a text nor a type nor a status.
func (d *decision) fingerprint() string {
	e := &d.source
	text := e.Message
	if e.Err != nil {
		text = e.Err.Error() // an error of this package
	}
	if text == "" && e.Status != 0 {
		text = "HTTP " + strconv.Itoa(e.Status)
	}
	if text = cmp.Or(text, e.Type, e.Code); text == "" {
		return ""
	}
	return fingerprint.Sum(text).String()
}

// addOutcome adds the attributes that say how a call ended as a source.
func (d *decision) addOutcome(c *classify.Classifier, f *facts, text string) {
	e := f.outcome(text)
	d.add(c, e)
	if f.errorType != "" && e.Code != f.errorType && e.Type == "" {
		d.add(c, classify.Evidence{Code: f.errorType, Provider: f.provider})
	}
}

// addStack adds exception.stacktrace as a source, if there is no other evidence.
// The function names in a stack trace describe the program more than the error.
func (d *decision) addStack(c *classify.Classifier, f *facts, t *bound.Texts, n int) {
	if d.Category == "" && f.exceptionType == "" {
		d.add(c, classify.Evidence{Message: t.Cut(f.stack, n), Provider: f.provider})
	}
}

// result returns the result. An error without evidence is classified like an empty
// message.
func (d *decision) result(c *classify.Classifier, f *facts) classify.Result {
	if d.Category == "" {
		d.Result = c.Message("")
	}
	if d.Provider == "" {
		d.Provider = f.provider
	}
	if d.Status == 0 {
		d.Status = f.status
	}
	return d.Result
}

// values are the values of the attributes that this package writes.
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

// values returns the values for a decision.
func (c *config) values(d *decision) values {
	v := valuesOf(&d.Result)
	if c.extra&fingerprintKey != 0 {
		v.fingerprint = d.fingerprint()
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

// append appends to to the wanted attributes that have a value.
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
