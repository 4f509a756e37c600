// Package docs_test checks the documentation against the code. It fails if a
// reason has no section, an alert has no runbook, or a link leads nowhere.
package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/errclass/errclass/classify"
)

// reasonsPage is where docs/reasons.md is published.
const reasonsPage = "https://github.com/errclass/errclass/blob/main/docs/reasons.md"

// TestReasonsHaveSections checks that reasons.md has a section for each reason, and
// that each section answers the same three questions.
func TestReasonsHaveSections(t *testing.T) {
	t.Parallel()
	page := read(t, "reasons.md")
	for _, reason := range classify.Reasons() {
		t.Run(string(reason), func(t *testing.T) {
			t.Parallel()
			_, section, ok := strings.Cut(page, "\n## "+string(reason)+"\n")
			require.True(t, ok, "docs/reasons.md has no section ## %s", reason)
			section, _, _ = strings.Cut(section, "\n## ")
			for _, part := range []string{"**What it means.**", "**Look at first.**", "**Do not**"} {
				assert.Equal(t, 1, strings.Count(section, part), "section %s: %s", reason, part)
			}
			assert.Contains(t, page, "["+string(reason)+"](#"+string(reason)+")", "the list of reasons lacks %s", reason)
		})
	}
}

// TestAlertsNameARunbook checks that each alert links to an existing section of
// reasons.md. Instead of the name of a section, a link may have a template for the
// alert's reason, because TestReasonsHaveSections checks that every reason has a
// section.
func TestAlertsNameARunbook(t *testing.T) {
	t.Parallel()
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert       string
				Annotations map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "../examples/alerting/rules.yml")), &rules))
	sections := anchors(read(t, "reasons.md"))
	alerts := 0
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			if rule.Alert == "" {
				continue // a recording rule
			}
			alerts++
			address, anchor, _ := strings.Cut(rule.Annotations["runbook_url"], "#")
			assert.Equal(t, reasonsPage, address, "runbook_url of %s", rule.Alert)
			if anchor == "{{ $labels.error_reason }}" {
				continue // any reason: TestReasonsHaveSections
			}
			assert.Contains(t, sections, anchor, "runbook_url of %s", rule.Alert)
		}
	}
	assert.Positive(t, alerts)
}

// TestLinksLeadSomewhere checks the relative links of the README and of the pages
// in this directory. Each link must lead to an existing file, and to an existing
// section of it.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("*.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range append(pages, "../README.md") {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			for _, m := range links.FindAllStringSubmatch(withoutCode(read(t, page)), -1) {
				path, anchor, _ := strings.Cut(m[1], "#")
				if strings.Contains(path, "://") {
					continue
				}
				target := page
				if path != "" {
					target = filepath.Join(filepath.Dir(page), path)
				}
				_, err := os.Stat(target)
				if assert.NoError(t, err, "link %s", m[1]) && anchor != "" {
					assert.Contains(t, anchors(read(t, target)), anchor, "link %s", m[1])
				}
			}
		})
	}
}

var (
	links     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headings  = regexp.MustCompile("(?m)^#+ (.+)$")
	codeBlock = regexp.MustCompile("(?s)\n```.*?\n```")
	notAnchor = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// anchors returns the anchors of a page's headings. They have the form that GitHub
// uses: lower case, no punctuation, hyphens for spaces.
func anchors(page string) []string {
	var all []string
	for _, m := range headings.FindAllStringSubmatch(withoutCode(page), -1) {
		plain := notAnchor.ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(plain, " ", "-"))
	}
	return slices.Compact(all)
}

// withoutCode returns page without fenced code, because comments in code look like
// headings.
func withoutCode(page string) string { return codeBlock.ReplaceAllString(page, "") }

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}
