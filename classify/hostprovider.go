package classify

import "github.com/errclass/errclass/classify/internal/collect/chain"

// HostProvider returns the provider of an API host. For "api.anthropic.com" it is
// "anthropic". If the host is unknown, HostProvider returns "". If the host is a
// gateway to several providers, it returns "" too.
func HostProvider(host string) string { return chain.HostProvider(host) }
