package cli

import (
	_ "embed"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"
)

// commitRecord is "VERSION COMMIT" in a release, as .ci/release writes it, and
// else empty or about an older version. A module that `go install` downloads
// carries no other record of its commit.
//
//go:embed commit.txt
var commitRecord string

// version returns the module's version, its commit and the Go release that it
// was built with.
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

// pseudoVersion is a version that the go command made of a commit without a tag.
var pseudoVersion = regexp.MustCompile(`[-.]\d{14}-([0-9a-f]{12})(?:\+.*)?$`)

// commitOf says which commit a version was built from. It asks, in this order,
// what the build recorded, the version itself, and the release's record.
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
		// The release's own commit contains the record, so its hash cannot be in it.
		return fmt.Sprintf("released from commit %.12s", of)
	}
	return "commit not recorded"
}
