package main

import (
	"strings"

	modpath "golang.org/x/mod/module"
)

// thirdParty returns the lines of a go.sum without those of this repository's
// modules.
func thirdParty(sums string) []string {
	var lines []string
	for line := range strings.Lines(sums) {
		if path, _, _ := strings.Cut(line, " "); !ours(path) {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

// formatSums returns the lines as the go command writes them into a go.sum.
func formatSums(lines []string) string {
	byVersion := map[modpath.Version][]string{}
	var versions []modpath.Version
	for _, line := range lines {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue // the go command reports it
		}
		v := modpath.Version{Path: fields[0], Version: fields[1]}
		if byVersion[v] == nil {
			versions = append(versions, v)
		}
		byVersion[v] = append(byVersion[v], line)
	}
	modpath.Sort(versions)
	var b strings.Builder
	for _, v := range versions {
		for _, line := range byVersion[v] {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
