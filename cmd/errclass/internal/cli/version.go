package cli

import (
	"fmt"
	"runtime/debug"
)

// version is the module's version with the commit and the Go release that it
// was built from, as far as the build recorded them.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	return describe(info)
}

func describe(info *debug.BuildInfo) string {
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
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
		return fmt.Sprintf("%s (commit %.12s%s, %s)", v, commit, changed, info.GoVersion)
	}
	return fmt.Sprintf("%s (%s)", v, info.GoVersion)
}
