package classify

// minimalRules are the patterns of seed 000 in its order: retryable, context
// overflow, authentication. The first that matches decides.
var minimalRules = [...]textRule{
	{id: "000/rate-limit", pattern: `rate.?limit`, reason: ReasonRateLimit, strength: phraseStrength},
	{id: "000/429", pattern: `429`, reason: ReasonRateLimit, strength: phraseStrength},
	{id: "000/503", pattern: `503`, reason: ReasonTransient, strength: phraseStrength},
	{id: "000/overloaded", pattern: `overloaded`, reason: ReasonTransient, strength: phraseStrength},
	{id: "000/etimedout", pattern: `ETIMEDOUT`, reason: ReasonTimeout, strength: phraseStrength},
	{id: "000/econnreset", pattern: `ECONNRESET`, reason: ReasonNetwork, strength: phraseStrength},
	{id: "000/econnrefused", pattern: `ECONNREFUSED`, reason: ReasonNetwork, strength: phraseStrength},
	{id: "000/network", pattern: `network`, reason: ReasonNetwork, strength: phraseStrength},
	{id: "000/context-length", pattern: `context.?length`, reason: ReasonContextOverflow, strength: phraseStrength},
	{id: "000/context-window", pattern: `context.?window`, reason: ReasonContextOverflow, strength: phraseStrength},
	{id: "000/context-overflow", pattern: `context.?overflow`, reason: ReasonContextOverflow, strength: phraseStrength},
	{id: "000/too-many-tokens", pattern: `too many tokens`, reason: ReasonContextOverflow, strength: phraseStrength},
	{id: "000/maximum-context", pattern: `maximum context`, reason: ReasonContextOverflow, strength: phraseStrength},
	{id: "000/token-limit", pattern: `token.?limit`, reason: ReasonContextOverflow, strength: phraseStrength},
	{id: "000/401", pattern: `401`, reason: ReasonAuthentication, strength: phraseStrength},
	{id: "000/403", pattern: `403`, reason: ReasonAuthentication, strength: phraseStrength},
	{id: "000/unauthorized", pattern: `unauthorized`, reason: ReasonAuthentication, strength: phraseStrength},
	{id: "000/forbidden", pattern: `forbidden`, reason: ReasonAuthentication, strength: phraseStrength},
	{id: "000/invalid-key", pattern: `invalid.?key`, reason: ReasonAuthentication, strength: phraseStrength},
	{id: "000/authentication", pattern: `authentication`, reason: ReasonAuthentication, strength: phraseStrength},
}
