package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// branch is the branch from which releases are made.
const branch = "main"

// repository is the directory of a git work tree.
type repository string

// path returns the path of a file in the work tree. The separator in name is a
// slash.
func (r repository) path(name string) string {
	return filepath.Join(string(r), filepath.FromSlash(name))
}

// git runs git in the work tree and returns its output.
func (r repository) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = string(r)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(stdout.String()), nil
}

// ready returns an error if no release can be made from the repository.
func (r repository) ready() error {
	on, err := r.git("branch", "--show-current")
	if err != nil {
		return err
	}
	if on != branch {
		return fmt.Errorf("the branch is %q: switch to %s for a release", on, branch)
	}
	changed, err := r.git("status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("the work tree has changes: commit or remove them first:\n%s", changed)
	}
	return nil
}

// clone makes a temporary clone of the branch, with the same user.name and
// user.email.
func (r repository) clone() (work repository, err error) {
	dir, err := os.MkdirTemp("", "release-")
	if err != nil {
		return "", err
	}
	work = repository(dir)
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir) // err is more important
		}
	}()
	from, err := filepath.Abs(string(r))
	if err != nil {
		return "", err
	}
	if _, err := r.git("clone", "--quiet", "--shared", "--branch", branch, from, dir); err != nil {
		return "", err
	}
	for _, key := range []string{"user.name", "user.email"} {
		value, err := r.git("config", key)
		if err != nil {
			return "", fmt.Errorf("git config %s is not set; the commit needs it: %w", key, err)
		}
		if _, err := work.git("config", key, value); err != nil {
			return "", err
		}
	}
	return work, nil
}

func (r repository) commit(message string) error {
	_, err := r.git("commit", "--quiet", "--all", "--message", message)
	return err
}

// apply fast-forwards the branch to the clone's branch and makes the tags. If git cannot
// make one of the tags, apply removes the tags made before and resets the branch.
func (r repository) apply(work repository, tags []string) error {
	before, err := r.git("rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if _, err := r.git("fetch", "--quiet", "--no-tags", string(work), branch); err != nil {
		return err
	}
	if _, err := r.git("merge", "--quiet", "--ff-only", "FETCH_HEAD"); err != nil {
		return err
	}
	for i, tag := range tags {
		_, err := r.git("tag", "--annotate", "--message", tag, tag)
		if err == nil {
			continue
		}
		if i > 0 {
			_, undo := r.git(append([]string{"tag", "--delete"}, tags[:i]...)...)
			err = errors.Join(err, undo)
		}
		_, undo := r.git("reset", "--quiet", "--keep", before)
		return errors.Join(err, undo)
	}
	return nil
}
