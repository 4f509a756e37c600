package classify

import "strings"

// Reason says why an error happened. It is also the value of the attribute
// error.reason. The empty Reason means that there was no error.
type Reason string

// These are the reasons.
const (
	ReasonRateLimit        Reason = "rate_limit"        // too many requests; calls succeed again in seconds or minutes
	ReasonTransient        Reason = "transient"         // 5xx, overloaded, deadlock, failover
	ReasonNetwork          Reason = "network"           // reset, refused, EOF, EAI_AGAIN
	ReasonTimeout          Reason = "timeout"           // a remote server's deadline, or this program's own
	ReasonContextOverflow  Reason = "context_overflow"  // more tokens than the model's window
	ReasonAuthentication   Reason = "authentication"    // 401, 403, keys, permissions
	ReasonBudgetExceeded   Reason = "budget_exceeded"   // 402, billing, hard quota
	ReasonPolicy           Reason = "policy"            // safety, content filter, region, 451
	ReasonInvalidRequest   Reason = "invalid_request"   // 400, 404, 405, 409, 413, 422
	ReasonParsing          Reason = "parsing"           // a response or document that does not parse
	ReasonNetworkPermanent Reason = "network_permanent" // NXDOMAIN, certificate, TLS version, bad scheme
	ReasonSpawn            Reason = "spawn"             // a child process did not start, or died
	ReasonMCP              Reason = "mcp"               // a tool server did not start, crashed or closed
	ReasonResource         Reason = "resource"          // disk, memory, file descriptors of this machine
	ReasonLogic            Reason = "logic"             // a bug: nil pointer, index, assertion
	ReasonAborted          Reason = "aborted"           // the caller cancelled
	ReasonUnknown          Reason = "unknown"           // an unrecognised error
)

// Retry names a way to repeat a failed call.
type Retry string

// These are the values of [Retry].
const (
	RetryNone        Retry = "none"        // not at all
	RetryExponential Retry = "exponential" // with a growing pause
	RetryCorrective  Retry = "corrective"  // with a changed request that says what was wrong with the answer
)

// Fallback says whether another provider or model may take the call.
type Fallback string

// These are the values of [Fallback].
const (
	FallbackNo              Fallback = "no"
	FallbackYes             Fallback = "yes"
	FallbackOptional        Fallback = "optional"         // if the caller expects the other provider to succeed
	FallbackAfterCorrective Fallback = "after_corrective" // once the corrective retry has failed
)

// Policy says what a caller should do about a [Reason]. Call [Policy.Calls] for the
// number of calls. The meaning of MaxAttempts depends on Retry.
type Policy struct {
	Category    Category // the reason's usual category; this program's own deadline has CategoryTimeout instead
	Retry       Retry
	MaxAttempts int // the meaning depends on Retry: see Calls
	Fallback    Fallback
}

// Calls returns the number of calls in all, including the first:
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

// Corrective reports whether the answer could not be parsed, so that the request must
// be changed before the next call. The new request should say what was wrong with the
// answer.
func (p Policy) Corrective() bool { return p.Retry == RetryCorrective }

// View selects a naming scheme of an existing system, for [Reason.Name] and
// [Result.Name]. New programs should use [Reason] itself, which is more precise.
// docs/specifications.md gives the sources.
type View uint8

// These are the naming schemes.
const (
	ViewProvider    View = iota // clients of model providers, as the metric label error_type: "rate_limit", "transient", "policy", ...
	ViewDiagnostics             // error events about command-line agents: "auth", "spawn", "mcp", ...
	ViewResilience              // a network resilience layer: "NetworkTransient", "ProviderError", "LogicError", ...
	viewCount
)

// reasonRow is one row of reasonTable.
type reasonRow struct {
	reason      Reason
	category    Category
	retry       Retry
	maxAttempts int
	fallback    Fallback
	names       [viewCount]string
}

// reasonTable has one row for each reason, in documentation order. The row
// budget_exceeded is for a provider's budget. For the program's own budget, see
// [Result.Policy].
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

// row returns the row of r. If r is not in the table, it returns the row of
// ReasonUnknown and false.
func (r Reason) row() (row *reasonRow, ok bool) {
	for i := range reasonTable {
		if reasonTable[i].reason == r {
			return &reasonTable[i], true
		}
	}
	return &reasonTable[len(reasonTable)-1], false
}

// Valid reports whether r is a reason of this package.
func (r Reason) Valid() bool {
	_, ok := r.row()
	return ok
}

// Policy returns the policy of r. If r is not valid, Policy returns the policy of
// [ReasonUnknown].
func (r Reason) Policy() Policy {
	row, _ := r.row()
	return Policy{
		Category:    row.category,
		Retry:       row.retry,
		MaxAttempts: row.maxAttempts,
		Fallback:    row.fallback,
	}
}

// Name returns the name of r in the naming scheme v. If r is not valid, the result is
// the name of [ReasonUnknown]. If v is not a known scheme, the result is "unknown".
func (r Reason) Name(v View) string {
	if v >= viewCount {
		return string(ReasonUnknown)
	}
	row, _ := r.row()
	return row.names[v]
}

// Reasons returns all reasons in documentation order.
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
