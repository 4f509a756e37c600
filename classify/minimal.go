package classify

import "github.com/errclass/errclass/classify/internal/signal"

// minimalRules are the patterns of the original classifier (number 000 in
// docs/specifications.md). The first pattern that matches decides.
var minimalRules = [...]signal.Rule{
	{ID: "000/rate-limit", Pattern: `rate.?limit`, Reason: signal.ReasonRateLimit, Strength: signal.Phrase, Listed: true},
	{ID: "000/429", Pattern: `429`, Reason: signal.ReasonRateLimit, Strength: signal.Phrase, Listed: true},
	{ID: "000/503", Pattern: `503`, Reason: signal.ReasonTransient, Strength: signal.Phrase, Listed: true},
	{ID: "000/overloaded", Pattern: `overloaded`, Reason: signal.ReasonTransient, Strength: signal.Phrase, Listed: true},
	{ID: "000/etimedout", Pattern: `ETIMEDOUT`, Reason: signal.ReasonTimeout, Strength: signal.Phrase, Listed: true},
	{ID: "000/econnreset", Pattern: `ECONNRESET`, Reason: signal.ReasonNetwork, Strength: signal.Phrase, Listed: true},
	{ID: "000/econnrefused", Pattern: `ECONNREFUSED`, Reason: signal.ReasonNetwork, Strength: signal.Phrase, Listed: true},
	{ID: "000/network", Pattern: `network`, Reason: signal.ReasonNetwork, Strength: signal.Phrase, Listed: true},
	{ID: "000/context-length", Pattern: `context.?length`, Reason: signal.ReasonContextOverflow, Strength: signal.Phrase, Listed: true},
	{ID: "000/context-window", Pattern: `context.?window`, Reason: signal.ReasonContextOverflow, Strength: signal.Phrase, Listed: true},
	{ID: "000/context-overflow", Pattern: `context.?overflow`, Reason: signal.ReasonContextOverflow, Strength: signal.Phrase, Listed: true},
	{ID: "000/too-many-tokens", Pattern: `too many tokens`, Reason: signal.ReasonContextOverflow, Strength: signal.Phrase, Listed: true},
	{ID: "000/maximum-context", Pattern: `maximum context`, Reason: signal.ReasonContextOverflow, Strength: signal.Phrase, Listed: true},
	{ID: "000/token-limit", Pattern: `token.?limit`, Reason: signal.ReasonContextOverflow, Strength: signal.Phrase, Listed: true},
	{ID: "000/401", Pattern: `401`, Reason: signal.ReasonAuthentication, Strength: signal.Phrase, Listed: true},
	{ID: "000/403", Pattern: `403`, Reason: signal.ReasonAuthentication, Strength: signal.Phrase, Listed: true},
	{ID: "000/unauthorized", Pattern: `unauthorized`, Reason: signal.ReasonAuthentication, Strength: signal.Phrase, Listed: true},
	{ID: "000/forbidden", Pattern: `forbidden`, Reason: signal.ReasonAuthentication, Strength: signal.Phrase, Listed: true},
	{ID: "000/invalid-key", Pattern: `invalid.?key`, Reason: signal.ReasonAuthentication, Strength: signal.Phrase, Listed: true},
	{ID: "000/authentication", Pattern: `authentication`, Reason: signal.ReasonAuthentication, Strength: signal.Phrase, Listed: true},
}
