package mask

import "strings"

// Unguarded and UnguardedEndpoint do not recover from a panic.
var (
	Unguarded         = clean
	UnguardedEndpoint = endpointName
)

var Escaped = escaped

// Prefixes returns the prefixes of keys and the beginnings of webhook URLs.
func Prefixes() (all []string) {
	for _, g := range prefixGroups {
		all = append(all, strings.Fields(g.texts)...)
	}
	return append(all, hooks...)
}
