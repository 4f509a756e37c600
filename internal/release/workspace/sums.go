package workspace

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
)

// Sums maps the path of each packed module to its two lines in go.sum.
type Sums map[string][]string

// Add adds the lines for this version of m. The argument zip is the name of the
// module's zip file. The argument gomod is the name of its go.mod.
func (s Sums) Add(m *Module, version, zip, gomod string) error {
	sum, err := dirhash.HashZip(zip, dirhash.Hash1)
	if err != nil {
		return err
	}
	modSum, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return os.Open(gomod) })
	if err != nil {
		return err
	}
	at := m.Path + " " + version
	s[m.Path] = []string{at + " " + sum, at + "/go.mod " + modSum}
	return nil
}

// Write updates the go.sum in dir, which is the directory of m or of a copy of m. It
// removes all lines about modules of this repository. Then it adds the lines in s for
// the modules that m requires. The argument root is the path of the root module.
func (s Sums) Write(m *Module, dir, root string) error {
	name := filepath.Join(dir, "go.sum")
	data, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	lines := ThirdParty(string(data), root)
	for _, other := range m.Requires {
		lines = append(lines, s[other.Path]...)
	}
	return os.WriteFile(name, []byte(FormatSums(lines)), 0o644)
}

// ThirdParty returns the lines of a go.sum, except the lines for the module with the
// path root and for modules below it.
func ThirdParty(sums, root string) []string {
	var lines []string
	for line := range strings.Lines(sums) {
		if modulePath, _, _ := strings.Cut(line, " "); !within(modulePath, root) {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

// FormatSums returns a go.sum with these lines, in the order that the go command
// uses.
func FormatSums(lines []string) string {
	byVersion := map[module.Version][]string{}
	var versions []module.Version
	for _, line := range lines {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			continue // invalid; the go command reports the missing sum
		}
		v := module.Version{Path: fields[0], Version: fields[1]}
		if byVersion[v] == nil {
			versions = append(versions, v)
		}
		byVersion[v] = append(byVersion[v], line)
	}
	module.Sort(versions)
	var b strings.Builder
	for _, v := range versions {
		for _, line := range byVersion[v] {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
