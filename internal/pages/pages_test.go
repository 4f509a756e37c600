package pages_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/internal/pages"
)

func ExamplePolicy() {
	policy, err := pages.Policy("f()", "a {}")
	fmt.Println(policy, err)
	// Output: default-src 'none'; connect-src 'none'; script-src 'sha256-GcEEE0IkDzIP5EQ6DXZaDPORqT5RTBELX8Fyzyg9yvo='; style-src 'sha256-mkSHzL7faOU7/U/v8Umg+058R69+vN2A2xmE3Fz1q98='; img-src data:; base-uri 'none'; form-action 'none' <nil>
}

// Policy must refuse a script or style that contains its own end tag. A browser would
// end the script there, and read the rest as markup.
func TestPolicyRefusesOpenEnds(t *testing.T) {
	t.Parallel()
	_, err := pages.Policy("'</SCRIPT>'", "")
	require.Error(t, err)
	_, err = pages.Policy("", "/* </style> */")
	require.Error(t, err)
	policy, err := pages.Policy(pages.Script, pages.Style, "'wasm-unsafe-eval'")
	require.NoError(t, err)
	assert.Contains(t, policy, "script-src 'wasm-unsafe-eval' 'sha256-")
}
