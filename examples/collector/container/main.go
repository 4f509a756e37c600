// Command container runs a program and writes its output to a file in containerd's
// log format:
//
//	container DIRECTORY/namespace_pod_uid/name/0.log COMMAND...
//
// Each entry has a time, the stream, the letter F or P, and a line. A line of more
// than 16 KiB becomes several entries. The last entry of a line has the letter F, and
// the entries before it have the letter P.
//
// https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// entrySize is the number of bytes after which containerd begins a new entry.
const entrySize = 16 << 10

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: container FILE COMMAND...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "container:", err)
		os.Exit(1)
	}
}

func run(path string, command []string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()

	cmd := exec.Command(command[0], command[1:]...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	out := &entries{to: file}
	failed := make(chan error, 2)
	go func() { failed <- out.copy("stdout", stdout) }()
	go func() { failed <- out.copy("stderr", stderr) }()
	return errors.Join(<-failed, <-failed, cmd.Wait())
}

// entries writes the entries of several streams to one file. It is safe for
// concurrent use.
type entries struct {
	mu sync.Mutex
	to io.Writer
}

func (e *entries) copy(stream string, from io.Reader) error {
	lines := bufio.NewReaderSize(from, entrySize)
	for {
		line, more, err := lines.ReadLine()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		tag := "F"
		if more {
			tag = "P"
		}
		if err := e.write(stream, tag, line); err != nil {
			return err
		}
	}
}

func (e *entries) write(stream, tag string, line []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, err := fmt.Fprintf(e.to, "%s %s %s %s\n", time.Now().UTC().Format("2006-01-02T15:04:05.000000000Z"), stream, tag, line)
	return err
}
