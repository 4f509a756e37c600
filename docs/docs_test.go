// Package docs_test checks that the documentation agrees with the code.
package docs_test

import (
	"io/fs"
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
	"github.com/errclass/errclass/classify/rulesfile"
)

// reasonsPage is the URL of the published docs/reasons.md.
const reasonsPage = "https://github.com/errclass/errclass/blob/main/docs/reasons.md"

// Each reason has a section in reasons.md. Each section answers the same three
// questions.
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
// reasons.md. A link may have a template in place of the section's name.
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

// TestLinksLeadSomewhere checks that the relative links on all pages lead to
// existing files and sections.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, page := range pages(t) {
		t.Run(page, func(t *testing.T) {
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

// TestNamesAreExported checks that every name on a page, such as classify.Error, is in
// the files of api/. The changelog may have old names, so it is left out.
func TestNamesAreExported(t *testing.T) {
	t.Parallel()
	exported := map[string]bool{} // keys such as classify.Error
	var packages []string
	require.NoError(t, filepath.WalkDir("../api", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			packages = append(packages, strings.TrimSuffix(d.Name(), ".txt"))
			for _, name := range identifiers.FindAllString(read(t, path), -1) {
				exported[packages[len(packages)-1]+"."+name] = true
			}
		}
		return err
	}))
	names := regexp.MustCompile(`\b(` + strings.Join(packages, "|") + `)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)
	found := 0
	for _, page := range pages(t) {
		if page == "../CHANGELOG.md" {
			continue
		}
		for _, m := range names.FindAllStringSubmatch(read(t, page), -1) {
			found++
			assert.True(t, exported[m[1]+"."+m[2]] && (m[3] == "" || exported[m[1]+"."+m[3]]), "%s names %s, which api/ does not have", page, m[0])
		}
	}
	assert.Greater(t, found, 100)
}

// TestMakeTargetsExist checks that the Makefile has the targets of every make
// command on all pages.
func TestMakeTargetsExist(t *testing.T) {
	t.Parallel()
	makefile := read(t, "../Makefile")
	found := 0
	for _, page := range pages(t) {
		for _, m := range makes.FindAllStringSubmatch(read(t, page), -1) {
			for target := range strings.FieldsSeq(m[1]) {
				found++
				_, _, ok := strings.Cut(makefile, "\n"+target+": ## ")
				assert.True(t, ok, "%s names make %s, which the Makefile does not have", page, target)
			}
		}
	}
	assert.Greater(t, found, 20)
}

// TestRulesLoad loads every rules file that a page shows. Loading also checks the
// examples of the rules. The test skips the README.md of classify/rules, because the
// rules files there have another format.
func TestRulesLoad(t *testing.T) {
	t.Parallel()
	found := 0
	for _, page := range pages(t) {
		if page == "../classify/rules/README.md" {
			continue
		}
		for _, m := range rulesFiles.FindAllStringSubmatch(read(t, page), -1) {
			found++
			_, err := rulesfile.Load(strings.NewReader(m[1]))
			assert.NoError(t, err, page)
		}
	}
	assert.Positive(t, found)
}

// pages returns the Markdown files of the repository.
func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != ".." && strings.HasPrefix(name, "."), d.IsDir() && name == "dist":
			return filepath.SkipDir
		case name == "reasons.md" && filepath.Base(filepath.Dir(path)) == "runbook":
			return nil // a copy of docs/reasons.md for the command
		case strings.HasSuffix(name, ".md"):
			all = append(all, path)
		}
		return nil
	}))
	require.Contains(t, all, "../README.md")
	return all
}

var (
	links     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headings  = regexp.MustCompile("(?m)^#+ (.+)$")
	codeBlock = regexp.MustCompile("(?s)\n```.*?\n```")
	// A make command is in a code block or at the start of a code span.
	makes       = regexp.MustCompile("(?m)(?:^    |`)make ((?:[a-z-]+ ?)+)")
	rulesFiles  = regexp.MustCompile("(?s)```yaml\n(rules:\n.*?)```")
	identifiers = regexp.MustCompile(`\b[A-Z]\w*`)
	notAnchor   = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// anchors returns the link targets of a page's headings, as GitHub forms them.
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
