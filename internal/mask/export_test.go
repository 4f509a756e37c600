package mask

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
	for _, p := range keyPrefixes {
		all = append(all, p.text)
	}
	return append(all, hooks...)
}
