// Package runbook has the content of docs/reasons.md, the page for the person on
// call. The page has a section for each reason.
package runbook

import (
	_ "embed" // reasons.md
	"regexp"
	"strings"
	"sync"

	"github.com/errclass/errclass/classify"
)

//go:generate cp ../../../../docs/reasons.md reasons.md

//go:embed reasons.md
var page string

// published is the address of the page. Each reason is a fragment of this URL.
const published = "https://github.com/errclass/errclass/blob/main/docs/reasons.md"

// URL returns the address of the section about a reason.
func URL(r classify.Reason) string { return published + "#" + string(r) }

// Advice is the page's section about a reason. All texts are plain, without markup.
type Advice struct {
	Meaning string   `json:"meaning"`
	First   []string `json:"look_at_first"`
	Not     string   `json:"do_not"`
	Link    string   `json:"link"` // link to the section of the published page
}

// For returns the advice for a reason. If the page has no section for the reason, the
// advice is empty. The caller must not change the elements of Advice.First. For is
// safe for concurrent use.
func For(r classify.Reason) Advice {
	a := sections()[r]
	a.Link = URL(r)
	return a
}

var sections = sync.OnceValue(func() map[classify.Reason]Advice {
	all := map[classify.Reason]Advice{}
	for _, r := range classify.Reasons() {
		_, section, _ := strings.Cut(page, "\n## "+string(r)+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		all[r] = parse(section)
	}
	return all
})

// parse reads the three parts of a section.
func parse(section string) Advice {
	meaning, rest, _ := strings.Cut(section, "**Look at first.**")
	first, not, _ := strings.Cut(rest, "\n**Do not**")
	a := Advice{Meaning: plain(strings.Replace(meaning, "**What it means.**", "", 1))}
	for _, item := range strings.Split("\n"+strings.TrimSpace(first), "\n- ")[1:] {
		a.First = append(a.First, plain(item))
	}
	if not = plain(not); not != "" {
		a.Not = "Do not " + not
	}
	return a
}

var link = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// plain returns text without markup, on one line.
func plain(text string) string {
	text = link.ReplaceAllString(strings.Join(strings.Fields(text), " "), "$1")
	return strings.NewReplacer("`", "", "**", "").Replace(text)
}
