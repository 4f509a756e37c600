// Command release prepares a release of all modules of this repository. The script
// .ci/release runs it:
//
//	.ci/release VERSION            show the changes of a release
//	.ci/release VERSION --really   make the commit and the tags
//
// It works in a temporary clone. With --really, after everything has succeeded, it
// fast-forwards the repository's branch and makes the tags. Nothing is pushed.
//
// A module that users cannot install gets no tag: its go.mod has a replace, or its
// path has an element "internal".
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/errclass/errclass/internal/release/workspace"
)

const usage = "usage: .ci/release VERSION [--really], for example .ci/release v0.1.0"

func main() {
	version, really, err := arguments(os.Args[1:])
	if err == nil {
		err = run(".", version, really, time.Now(), os.Stdout)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

// arguments parses the command line.
func arguments(args []string) (version string, really bool, err error) {
	for _, a := range args {
		switch {
		case a == "--really":
			really = true
		case strings.HasPrefix(a, "-") || version != "":
			return "", false, fmt.Errorf("unknown argument %q; %s", a, usage)
		default:
			version = a
		}
	}
	if version == "" {
		return "", false, fmt.Errorf("no version given; %s", usage)
	}
	return version, really, nil
}

// run prepares the release of the repository at dir and writes its report to out.
func run(dir, version string, really bool, now time.Time, out io.Writer) error {
	original := repository(dir)
	if err := original.ready(); err != nil {
		return err
	}
	work, err := original.clone()
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(string(work)) }() // a temporary directory

	modules, err := readModules(work)
	if err != nil {
		return err
	}
	if err := checkVersion(original, modules, version); err != nil {
		return err
	}
	if err := prepare(work, modules, version, now); err != nil {
		return err
	}
	if err := work.commit("release " + version); err != nil {
		return err
	}
	changes, err := work.git("show", "--stat", "--format=%s", "HEAD")
	if err != nil {
		return err
	}
	tags := tagsOf(modules, version)
	report(out, modules, tags, changes)
	if !really {
		fmt.Fprintf(out, "\nNothing was changed. To make the commit and the tags: .ci/release %s --really\n", version)
		return nil
	}
	if err := original.apply(work, tags); err != nil {
		return err
	}
	// GitHub starts no workflow if more than three tags are pushed at once. So push
	// the first tag last and alone.
	fmt.Fprintf(out, "\nThe commit and the tags are made. To publish them:\n\tgit push --atomic origin %s\n\tgit push origin %s\n",
		strings.Join(append([]string{branch}, tags[1:]...), " "), tags[0])
	return nil
}

// prepare changes the files of the work tree for a release.
func prepare(work repository, modules []*workspace.Module, version string, now time.Time) error {
	parent, err := work.git("rev-parse", "HEAD")
	if err != nil {
		return err
	}
	for _, m := range modules {
		if err := m.SetVersion(m.Name("."), version); err != nil {
			return err
		}
	}
	if err := recordCommit(work, version, parent); err != nil {
		return err
	}
	if err := releaseChangelog(work.path("CHANGELOG.md"), version, now); err != nil {
		return err
	}
	return writeSums(work, modules, version)
}

func report(out io.Writer, modules []*workspace.Module, tags []string, changes string) {
	fmt.Fprintln(out, "Tags:")
	for _, tag := range tags {
		fmt.Fprintf(out, "\t%s\n", tag)
	}
	fmt.Fprintln(out, "For development only, no tag:")
	for _, m := range modules {
		if m.Private != "" {
			fmt.Fprintf(out, "\t%s (%s)\n", m.Dir, m.Private)
		}
	}
	fmt.Fprintf(out, "Commit:\n\t%s\n", strings.ReplaceAll(changes, "\n", "\n\t"))
}
