package mask

import "strings"

// Unguarded and UnguardedEndpoint are Text and Endpoint, but do not recover from
// panics.
var (
	Unguarded         = clean
	UnguardedEndpoint = endpointName
)

// Escaped exports escaped.
var Escaped = escaped

// Prefixes returns the prefixes of keys and the beginnings of webhooks.
func Prefixes() (all []string) {
	for _, g := range prefixGroups {
		all = append(all, strings.Fields(g.texts)...)
	}
	return append(all, hooks...)
}
