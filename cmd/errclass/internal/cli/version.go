package cli

import (
	_ "embed"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"
)

// commitRecord is "VERSION COMMIT" in a release. In other builds, it is empty or old.
//
//go:embed commit.txt
var commitRecord string

// version returns the version, the commit, and the Go release of this program.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return describe(info, commitRecord)
}

func describe(info *debug.BuildInfo, record string) string {
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	return fmt.Sprintf("%s (%s, %s)", v, commitOf(info, v, record), info.GoVersion)
}

// pseudoVersion matches a pseudo-version: the version of a commit that has no tag.
var pseudoVersion = regexp.MustCompile(`[-.]\d{14}-([0-9a-f]{12})(?:\+.*)?$`)

// commitOf describes the commit from which a version was built.
func commitOf(info *debug.BuildInfo, version, record string) string {
	var commit, changed string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				changed = " with changes"
			}
		}
	}
	if commit != "" {
		return fmt.Sprintf("commit %.12s%s", commit, changed)
	}
	if m := pseudoVersion.FindStringSubmatch(version); m != nil {
		return "commit " + m[1]
	}
	if released, of, ok := strings.Cut(strings.TrimSpace(record), " "); ok && released == version {
		// The file commit.txt cannot contain the hash of its own commit, so it has the
		// hash of the parent commit.
		return fmt.Sprintf("released from commit %.12s", of)
	}
	return "commit not recorded"
}
