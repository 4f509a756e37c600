package mask

import "strings"

// Unguarded and UnguardedEndpoint are Text and Endpoint without their last resort:
// tests must see a panic.
var (
	Unguarded         = clean
	UnguardedEndpoint = endpointName
)

// Escaped is escaped.
var Escaped = escaped

// Prefixes are all beginnings that the tables know.
func Prefixes() (all []string) {
	for _, g := range prefixGroups {
		all = append(all, strings.Fields(g.texts)...)
	}
	return append(all, hooks...)
}
