package otelclass

import (
	"cmp"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/bound"
)

// The attributes that are evidence, by the names of OpenTelemetry's semantic
// conventions 1.43, and of older ones: http.status_code, rpc.grpc.status_code,
// rpc.system, db.system and gen_ai.system.
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
	retryAfterKey

	bothKeys   = categoryKey | reasonKey
	detailKeys = ruleKey | retryAfterKey
)

// facts is what the attributes of one span, event or log record say. It lives
// on the stack of one call.
type facts struct {
	keys             keys // those of our keys that are set already
	category, reason string
	rule             string
	retryAfter       int64 // in milliseconds
	hint             bool  // there is a retryAfter
	exception        bool  // one of exception.* is there
	exceptionType    string
	message, stack   string
	errorType        string
	ownDeadline      bool   // errorType is this program's own deadline: see endedByItself
	rpc, rpcSystem   string // rpc is a code of rpcSystem
	grpc             string // a code of gRPC
	db, dbSystem     string
	status           int
	provider         string
}

// look takes an attribute into account.
func (f *facts) look(cfg *config, kv *attribute.KeyValue) {
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
	case RetryAfterMSKey:
		f.keys, f.retryAfter = f.keys|retryAfterKey, kv.Value.AsInt64()
		f.hint = kv.Value.Type() == attribute.INT64
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

// name is the text of an attribute that holds a name or a code, as far as it is
// read.
func name(kv *attribute.KeyValue) string {
	s := kv.Value.AsString()
	return s[:min(len(s), maxName)]
}

// code is the text of an attribute that holds a code: instrumentations write
// numbers as integers or as strings. The number 0 means success.
func code(kv *attribute.KeyValue) string {
	if kv.Value.Type() == attribute.INT64 {
		if n := kv.Value.AsInt64(); n != 0 {
			return strconv.FormatInt(n, 10)
		}
	}
	return name(kv)
}

// httpStatus is the HTTP status of a failure that an attribute holds, or 0.
func httpStatus(kv *attribute.KeyValue) int {
	n, err := strconv.Atoi(code(kv))
	if err != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}

// grpcCode gives a number of gRPC the form that the classifier knows from
// trailers. A name, which stands for itself, stays as it is; 0 means success.
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

// rpcCode is the code of rpc.response.status_code. A number is one of gRPC's
// unless another system has codes of its own, such as JSON-RPC.
func (f *facts) rpcCode() string {
	if n, err := strconv.Atoi(f.rpc); err == nil && 0 <= n && n <= 16 && (f.rpcSystem == "" || f.rpcSystem == "grpc") {
		return grpcCode(f.rpc)
	}
	return f.rpc
}

// isException reports whether attributes are those of an exception. What the
// event is called says nothing: the names belong to their domains
// (http.client.request.exception), exception.* to all of them.
func isException(attrs []attribute.KeyValue) bool {
	for i := range attrs {
		switch attrs[i].Key {
		case exceptionTypeKey, exceptionMessageKey, exceptionStackKey:
			return true
		}
	}
	return false
}

// missing is which attributes have to be added: none where both category and
// reason are set. Details of another classification would not belong to them.
func (f *facts) missing(cfg *config) keys {
	wanted := cfg.wanted()
	if wanted&bothKeys&^f.keys == 0 {
		return 0
	}
	return wanted &^ f.keys
}

// wanted is which keys are written. Where a key has two meanings, because WithKeys
// gave it one of its own, it is written once, with the first one.
func (c *config) wanted() keys {
	wanted := categoryKey
	if c.reason != c.category {
		wanted |= reasonKey
	}
	if c.details {
		wanted |= detailKeys
		for _, key := range [...]attribute.Key{c.category, c.reason} {
			switch key {
			case RuleKey:
				wanted &^= ruleKey
			case RetryAfterMSKey:
				wanted &^= retryAfterKey
			}
		}
	}
	return wanted
}

// stated is what the two attributes say that are set already, if both are words
// of this project that go together. What else a caller writes there is his own
// and must not become a label of a metric.
func (f *facts) stated() (res classify.Result, ok bool) {
	if f.keys&bothKeys != bothKeys {
		return res, false
	}
	res = classify.Result{
		Category: classify.Category(f.category), Reason: classify.Reason(f.reason),
		Status: f.status, Provider: f.provider,
	}
	return res, knownPair(res.Category, res.Reason)
}

// exceptionEvidence is what exception.type and exception.message say; at most n
// bytes of the message are read.
func (f *facts) exceptionEvidence(t *bound.Texts, n int) classify.Evidence {
	e := classify.Evidence{Type: t.Cut(f.exceptionType, maxName), Provider: f.provider}
	e.Message = t.Cut(f.message, n-len(e.Type))
	if end := ownEnd(f.exceptionType); end != nil {
		// As the error that it was, it decides whatever status stands beside it.
		e.Err, e.Type, e.Message = &recordedError{e.Message, end}, "", ""
	}
	return e
}

// outcome is what the attributes say about how a call ended, with a text that
// goes with them: the description of a span's status. A peer may have written
// all of it, so none is given as a Type but this program's own deadline.
func (f *facts) outcome(text string) classify.Evidence {
	if f.ownDeadline {
		return classify.Evidence{Type: f.errorType, Message: text}
	}
	e := classify.Evidence{Status: f.status, Code: cmp.Or(f.rpcCode(), grpcCode(f.grpc)), Message: text, Provider: f.provider}
	if f.db != "" {
		if e.Err = databaseError(f.dbSystem, f.db, text); e.Err != nil {
			e.Message = "" // it is the error's
		} else {
			e.Code = cmp.Or(e.Code, f.db)
		}
	}
	e.Code = cmp.Or(e.Code, f.errorType)
	return e
}

// verdict collects what several sources say, in the order of their worth: the
// first whose reason is not unknown decides. Where none does, the first one's
// result stands.
type verdict struct {
	classify.Result
	known  bool
	status int // HTTP status of the span that the sources belong to
}

// ask classifies a source unless an earlier one has decided.
func (v *verdict) ask(c *classify.Classifier, e classify.Evidence) {
	if v.known {
		return
	}
	r := c.Classify(e)
	if e.Err == nil && e.Status == 0 && v.status != 0 && (r.Reason == classify.ReasonAborted || r.Reason == classify.ReasonTimeout) {
		// A text says that the call was ended. Beside a status that refuses the
		// caller it does not decide.
		e.Status = v.status
		r = c.Classify(e)
	}
	v.known = r.Category != "" && r.Reason != classify.ReasonUnknown
	if v.known || v.Category == "" {
		v.Result = r
	}
}

// askOutcome asks what the attributes say about how a call ended.
func (v *verdict) askOutcome(c *classify.Classifier, f *facts, text string) {
	e := f.outcome(text)
	v.ask(c, e)
	if f.errorType != "" && e.Code != f.errorType && e.Type == "" {
		v.ask(c, classify.Evidence{Code: f.errorType, Provider: f.provider})
	}
}

// askStack asks exception.stacktrace where there is nothing else: the names of
// functions in it are about the program, not about what went wrong.
func (v *verdict) askStack(c *classify.Classifier, f *facts, t *bound.Texts, n int) {
	if v.Category == "" && f.exceptionType == "" {
		v.ask(c, classify.Evidence{Message: t.Cut(f.stack, n), Provider: f.provider})
	}
}

// result is what was decided; an error of which nothing is known is one too.
func (v *verdict) result(c *classify.Classifier, f *facts) classify.Result {
	if v.Category == "" {
		v.Result = c.Message("")
	}
	if v.Provider == "" {
		v.Provider = f.provider
	}
	if v.Status == 0 {
		v.Status = f.status
	}
	return v.Result
}

// values are what our attributes say.
type values struct {
	category, reason string
	rule             string // "" = not known
	retryAfter       int64  // in milliseconds
	hint             bool   // there is a retryAfter, possibly 0
}

// words are what res says. A wait is rounded up: a client that waits that long has
// waited long enough.
func words(res *classify.Result) values {
	return values{
		category: string(res.Category), reason: string(res.Reason), rule: res.Rule,
		retryAfter: (res.RetryAfter + time.Millisecond - 1).Milliseconds(), hint: res.HasRetryAfter,
	}
}

// own returns w with what f has of its own. A value that is no text, or none,
// stays where it is and goes nowhere else.
func (f *facts) own(w values) values {
	w.category, w.reason, w.rule = cmp.Or(f.category, w.category), cmp.Or(f.reason, w.reason), cmp.Or(f.rule, w.rule)
	if f.keys&retryAfterKey != 0 {
		w.retryAfter, w.hint = f.retryAfter, f.hint
	}
	return w
}

// append appends those of our attributes that are wanted and known.
func (c *config) append(to []attribute.KeyValue, wanted keys, w values) []attribute.KeyValue {
	if wanted&categoryKey != 0 {
		to = append(to, c.category.String(w.category))
	}
	if wanted&reasonKey != 0 {
		to = append(to, c.reason.String(w.reason))
	}
	if wanted&ruleKey != 0 && w.rule != "" {
		to = append(to, RuleKey.String(w.rule))
	}
	if wanted&retryAfterKey != 0 && w.hint {
		to = append(to, RetryAfterMSKey.Int64(w.retryAfter))
	}
	return to
}
