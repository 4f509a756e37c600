package classify

import "strings"

// Reason says why an error happened. It is the value of the attribute
// error.reason. Everything that follows from a reason is looked up in one
// table: see [Reason.Policy] and [Reason.Name].
type Reason string

// The reasons. The empty Reason means that there was no error.
const (
	ReasonRateLimit        Reason = "rate_limit"        // too many requests; open again in seconds or minutes
	ReasonTransient        Reason = "transient"         // 5xx, overloaded, deadlock, failover
	ReasonNetwork          Reason = "network"           // reset, refused, EOF, EAI_AGAIN
	ReasonTimeout          Reason = "timeout"           // a peer's or the own deadline
	ReasonContextOverflow  Reason = "context_overflow"  // more tokens than the model's window
	ReasonAuthentication   Reason = "authentication"    // 401, 403, keys, permissions
	ReasonBudgetExceeded   Reason = "budget_exceeded"   // 402, billing, hard quota
	ReasonPolicy           Reason = "policy"            // safety, content filter, region, 451
	ReasonInvalidRequest   Reason = "invalid_request"   // 400, 404, 405, 409, 413, 422
	ReasonParsing          Reason = "parsing"           // a response or document that does not parse
	ReasonNetworkPermanent Reason = "network_permanent" // NXDOMAIN, certificate, TLS version, bad scheme
	ReasonSpawn            Reason = "spawn"             // a child that would not start, or died
	ReasonMCP              Reason = "mcp"               // a tool server that would not start, crashed or closed
	ReasonResource         Reason = "resource"          // disk, memory, file descriptors of this machine
	ReasonLogic            Reason = "logic"             // a bug: nil pointer, index, assertion
	ReasonAborted          Reason = "aborted"           // the caller cancelled
	ReasonUnknown          Reason = "unknown"           // an error that nothing recognises
)

// Retry names how a call that failed is repeated.
type Retry string

// The ways to repeat a call.
const (
	RetryNone        Retry = "none"        // not at all
	RetryExponential Retry = "exponential" // with a growing pause
	RetryCorrective  Retry = "corrective"  // with the request corrected by what was wrong with the answer
)

// Fallback names whether another provider or model may be asked instead.
type Fallback string

// The answers to "may another target take the call?".
const (
	FallbackNo              Fallback = "no"
	FallbackYes             Fallback = "yes"
	FallbackOptional        Fallback = "optional"         // only where the caller expects another target to succeed
	FallbackAfterCorrective Fallback = "after_corrective" // once the corrective retry has failed
)

// Policy is what a [Reason] asks a caller to do: one row of the table of reasons.
// What code needs of it are the methods.
type Policy struct {
	Category    Category // of the reason; a [Result] may say otherwise, as for this program's own deadline
	Retry       Retry
	MaxAttempts int // the table's figure, whose meaning depends on Retry: see Calls
	Fallback    Fallback
}

// Calls returns how often a call is made in all, the first one included:
//
//	RetryNone           1
//	RetryExponential    MaxAttempts, at least 1
//	RetryCorrective     1 + MaxAttempts
func (p Policy) Calls() int {
	switch p.Retry {
	case RetryExponential:
		return max(1, p.MaxAttempts)
	case RetryCorrective:
		return 1 + p.MaxAttempts
	default:
		return 1
	}
}

// Corrective reports whether the request has to be changed before it is repeated:
// the answer did not parse, so the next request says what was wrong with it.
func (p Policy) Corrective() bool { return p.Retry == RetryCorrective }

// View selects one of the naming schemes that existing systems have for the kinds
// of errors: [Reason.Name] and [Result.Name] give a name in it. New programs need
// none of them: [Reason] is finer than all three. docs/specifications.md has their
// sources.
type View uint8

// The naming schemes.
const (
	ViewProvider    View = iota // of clients of model providers, mostly as a metric's label error_type: "rate_limit", "transient", "policy", ...
	ViewDiagnostics             // of the error events that workers with command line agents send: "auth", "spawn", "mcp", ...
	ViewResilience              // of a network resilience layer: "NetworkTransient", "ProviderError", "LogicError", ...
	viewCount
)

// reasonRow is one line of the table that all knowledge about reasons is in.
type reasonRow struct {
	reason      Reason
	category    Category
	retry       Retry
	maxAttempts int
	fallback    Fallback
	names       [viewCount]string
}

// reasonTable lists the reasons; the order is that of their documentation.
// budget_exceeded is a provider's here: the program's own budget, which never
// falls back, is recognised by [ErrBudgetExceeded].
var reasonTable = [...]reasonRow{
	{ReasonRateLimit, CategoryRetryable, RetryExponential, 3, FallbackYes, names("rate_limit", "rate_limit", "ProviderRateLimit")},
	{ReasonTransient, CategoryRetryable, RetryExponential, 3, FallbackYes, names("transient", "unknown", "ProviderError")},
	{ReasonNetwork, CategoryRetryable, RetryExponential, 6, FallbackYes, names("transient", "network", "NetworkTransient")},
	{ReasonTimeout, CategoryRetryable, RetryExponential, 3, FallbackYes, names("timeout", "timeout", "NetworkTransient")},
	{ReasonContextOverflow, CategoryContextOverflow, RetryNone, 0, FallbackOptional, names("invalid_request", "unknown", "ContextLength")},
	{ReasonAuthentication, CategoryFatal, RetryNone, 0, FallbackNo, names("authentication", "auth", "ProviderError")},
	{ReasonBudgetExceeded, CategoryFatal, RetryNone, 0, FallbackOptional, names("budget_exceeded", "rate_limit", "ProviderError")},
	{ReasonPolicy, CategoryFatal, RetryNone, 0, FallbackNo, names("policy", "unknown", "ProviderError")},
	{ReasonInvalidRequest, CategoryFatal, RetryNone, 0, FallbackOptional, names("invalid_request", "unknown", "LogicError")},
	{ReasonParsing, CategoryFatal, RetryCorrective, 1, FallbackAfterCorrective, names("parsing", "unknown", "LogicError")},
	{ReasonNetworkPermanent, CategoryFatal, RetryNone, 0, FallbackOptional, names("invalid_request", "network", "NetworkPermanent")},
	{ReasonSpawn, CategoryFatal, RetryNone, 0, FallbackOptional, names("unknown", "spawn", "LogicError")},
	{ReasonMCP, CategoryFatal, RetryNone, 0, FallbackNo, names("unknown", "mcp", "LogicError")},
	{ReasonResource, CategoryFatal, RetryNone, 0, FallbackNo, names("unknown", "unknown", "LogicError")},
	{ReasonLogic, CategoryFatal, RetryNone, 0, FallbackNo, names("unknown", "unknown", "LogicError")},
	{ReasonAborted, CategoryAborted, RetryNone, 0, FallbackNo, names("unknown", "unknown", "LogicError")},
	{ReasonUnknown, CategoryFatal, RetryExponential, 1, FallbackOptional, names("unknown", "unknown", "LogicError")},
}

func names(provider, diagnostics, resilience string) [viewCount]string {
	return [viewCount]string{provider, diagnostics, resilience}
}

// row finds r in the table; ok is false for a reason that is not in it.
func (r Reason) row() (row *reasonRow, ok bool) {
	for i := range reasonTable {
		if reasonTable[i].reason == r {
			return &reasonTable[i], true
		}
	}
	return &reasonTable[len(reasonTable)-1], false
}

// Valid reports whether r is one of the reasons of this package.
func (r Reason) Valid() bool {
	_, ok := r.row()
	return ok
}

// Policy returns what r asks a caller to do. A reason that is not one of this
// package's gets the policy of [ReasonUnknown].
func (r Reason) Policy() Policy {
	row, _ := r.row()
	return Policy{
		Category:    row.category,
		Retry:       row.retry,
		MaxAttempts: row.maxAttempts,
		Fallback:    row.fallback,
	}
}

// Name returns the name of r in the view v. A reason that is not one of this
// package's is named like [ReasonUnknown]; in an unknown view everything is
// "unknown".
func (r Reason) Name(v View) string {
	if v >= viewCount {
		return string(ReasonUnknown)
	}
	row, _ := r.row()
	return row.names[v]
}

// Reasons returns all reasons in the order of their documentation.
func Reasons() []Reason {
	all := make([]Reason, len(reasonTable))
	for i := range reasonTable {
		all[i] = reasonTable[i].reason
	}
	return all
}

func knownReasons() string {
	all := make([]string, len(reasonTable))
	for i := range reasonTable {
		all[i] = string(reasonTable[i].reason)
	}
	return strings.Join(all, ", ")
}
