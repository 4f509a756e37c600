package classify

import "github.com/errclass/errclass/classify/internal/collect/chain"

// HostProvider returns the provider of an API host: "anthropic" for
// "api.anthropic.com". It returns "" for an unknown host. It also returns "" for
// a gateway, because a gateway relays the errors of several providers.
func HostProvider(host string) string { return chain.HostProvider(host) }
