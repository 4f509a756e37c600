package cli

import (
	_ "embed"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"
)

// commitRecord is the content of commit.txt. In a release, .ci/release has written
// "VERSION COMMIT" to this file. In other builds, the file is empty or names an
// older version. If `go install` has downloaded the module, there is no other record
// of the commit.
//
//go:embed commit.txt
var commitRecord string

// version returns the module's version, its commit, and the Go release that built
// it.
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

// commitOf describes the commit from which a version was built. It reads, in this
// order, the build settings, the version itself, and the record of the release.
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
		// A commit cannot contain its own hash. So the record in the commit of a
		// release names the parent commit.
		return fmt.Sprintf("released from commit %.12s", of)
	}
	return "commit not recorded"
}
