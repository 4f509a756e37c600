package main

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"time"
)

// commitRecord is the name of an embedded file, from which a binary knows its
// commit.
const commitRecord = "commit.txt"

// recordCommit writes the version and the parent commit's hash to each commit.txt.
func recordCommit(work repository, version, commit string) error {
	list, err := work.git("ls-files", "-z")
	if err != nil {
		return err
	}
	for _, name := range strings.Split(list, "\x00") {
		if path.Base(name) == commitRecord {
			if err := os.WriteFile(work.path(name), []byte(version+" "+commit+"\n"), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

var (
	unreleased = regexp.MustCompile(`(?m)^## \[?Unreleased\]?[ \t]*$`)
	heading    = regexp.MustCompile(`(?m)^## `)
)

// releaseChangelog turns the section Unreleased of a changelog into the section for the
// version, and adds a new, empty section Unreleased. If there are no unreleased entries,
// it returns an error.
func releaseChangelog(file, version string, now time.Time) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text := string(data)
	at := unreleased.FindAllStringIndex(text, -1)
	if len(at) != 1 {
		return fmt.Errorf("%s: want one heading \"## [Unreleased]\", got %d", path.Base(file), len(at))
	}
	section := text[at[0][1]:]
	if next := heading.FindStringIndex(section); next != nil {
		section = section[:next[0]]
	}
	if !regexp.MustCompile(`(?m)^[-*|] *\S`).MatchString(section) {
		return fmt.Errorf("%s: the section Unreleased has no entry: describe the changes for users", path.Base(file))
	}
	if strings.Contains(text, "\n## ["+strings.TrimPrefix(version, "v")+"]") {
		return fmt.Errorf("%s already has a section for %s", path.Base(file), version)
	}
	released := fmt.Sprintf("## [Unreleased]\n\n## [%s] - %s", strings.TrimPrefix(version, "v"), now.UTC().Format(time.DateOnly))
	return os.WriteFile(file, []byte(text[:at[0][0]]+released+text[at[0][1]:]), 0o644)
}
