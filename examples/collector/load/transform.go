package main

import (
	"fmt"
	"strings"
)

// rules are forty typical rules for the transform processor, as a user would write
// them.
var rules = []struct{ pattern, category, reason string }{
	{`(?i)rate.?limit`, "retryable", "rate_limit"},
	{`(?i)too many requests|\b429\b`, "retryable", "rate_limit"},
	{`(?i)service unavailable|\b503\b`, "retryable", "transient"},
	{`(?i)bad gateway|\b502\b`, "retryable", "transient"},
	{`(?i)internal server error|\b500\b`, "retryable", "transient"},
	{`(?i)overloaded`, "retryable", "transient"},
	{`(?i)deadlock (found|detected)`, "retryable", "transient"},
	{`(?i)connection (reset|refused|closed|aborted)`, "retryable", "network"},
	{`(?i)ECONN(RESET|REFUSED|ABORTED)`, "retryable", "network"},
	{`(?i)broken pipe|EPIPE`, "retryable", "network"},
	{`(?i)no route to host|network is unreachable`, "retryable", "network"},
	{`(?i)unexpected (EOF|end of (file|stream))`, "retryable", "network"},
	{`(?i)timed? ?out|ETIMEDOUT`, "retryable", "timeout"},
	{`(?i)deadline exceeded`, "retryable", "timeout"},
	{`(?i)gateway time-?out|\b504\b`, "retryable", "timeout"},
	{`(?i)unauthori[sz]ed|\b401\b`, "fatal", "authentication"},
	{`(?i)forbidden|\b403\b`, "fatal", "authentication"},
	{`(?i)invalid (api|access|x-api)[ _-]?key`, "fatal", "authentication"},
	{`(?i)permission denied|access denied`, "fatal", "authentication"},
	{`(?i)password authentication failed`, "fatal", "authentication"},
	{`(?i)token (is |has )?(expired|invalid)`, "fatal", "authentication"},
	{`(?i)insufficient.?(quota|funds|balance)`, "fatal", "budget_exceeded"},
	{`(?i)payment required|\b402\b`, "fatal", "budget_exceeded"},
	{`(?i)context.?(length|window)`, "context_overflow", "context_overflow"},
	{`(?i)maximum .{0,20}tokens`, "context_overflow", "context_overflow"},
	{`(?i)content.?(filter|policy)`, "fatal", "policy"},
	{`(?i)bad request|\b400\b`, "fatal", "invalid_request"},
	{`(?i)not found|\b404\b`, "fatal", "invalid_request"},
	{`(?i)(violates|duplicate) .{0,30}(constraint|key)`, "fatal", "invalid_request"},
	{`(?i)(invalid|unexpected) (json|character|token)`, "fatal", "parsing"},
	{`(?i)syntax error|parse error`, "fatal", "parsing"},
	{`(?i)certificate (has expired|signed by unknown|verify failed)`, "fatal", "network_permanent"},
	{`(?i)no such host|NXDOMAIN|ENOTFOUND`, "fatal", "network_permanent"},
	{`(?i)command not found|exec format error`, "fatal", "spawn"},
	{`(?i)no space left on device|ENOSPC`, "fatal", "resource"},
	{`(?i)out of memory|OutOfMemoryError|cannot allocate memory`, "fatal", "resource"},
	{`(?i)too many open files|EMFILE`, "fatal", "resource"},
	{`(?i)null ?pointer|nil pointer dereference`, "fatal", "logic"},
	{`(?i)index out of (range|bounds)`, "fatal", "logic"},
	{`(?i)context cancell?ed|operation was cancell?ed`, "aborted", "aborted"},
}

// transform returns the configuration of the transform processor with the first n
// rules. The first matching rule decides. Records that are not errors are skipped.
func transform(n int) string {
	var b strings.Builder
	b.WriteString("  transform:\n    log_statements:\n      - conditions: ['log.severity_number >= SEVERITY_NUMBER_ERROR']\n        statements:\n")
	for _, r := range rules[:n] {
		pattern := strings.ReplaceAll(r.pattern, `\`, `\\`)
		for _, attribute := range []struct{ key, value string }{{"error.reason", r.reason}, {"error.category", r.category}} {
			fmt.Fprintf(&b, "          - 'set(log.attributes[\"%s\"], \"%s\") where log.attributes[\"%[1]s\"] == nil and IsMatch(log.body, \"%[3]s\")'\n",
				attribute.key, attribute.value, pattern)
		}
	}
	return b.String()
}
