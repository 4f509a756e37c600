package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// process is a worker process.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// startProcess starts a worker process and sends it the order o. The process ends
// when ctx ends.
func startProcess(ctx context.Context, o order) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), asWorker+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{cmd, in, bufio.NewScanner(out)}, json.NewEncoder(in).Encode(o)
}

// line returns the next line that the worker writes.
func (p *process) line() ([]byte, error) {
	if !p.out.Scan() {
		return nil, errors.Join(errors.New("a worker has ended early"), p.out.Err())
	}
	return p.out.Bytes(), nil
}

// round runs the provider and the workers, and returns the figures. redis is the
// address of a Redis server, or "" for no sharing.
func round(ctx context.Context, p plan, redis string) (f figures, err error) {
	provider, err := startProvider()
	if err != nil {
		return f, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.calm+p.trouble+p.rest+time.Minute)
	var all []*process
	defer func() {
		_ = provider.server.Close()
		cancel() // kills those that still run
		for _, each := range all {
			_ = each.in.Close()
			_ = each.cmd.Wait()
		}
	}()
	for i := range p.workers {
		each, err := startProcess(ctx, order{
			Name: fmt.Sprint("worker ", i), Provider: provider.url, Redis: redis, Duration: p.calm + p.trouble + p.rest,
		})
		if each != nil {
			all = append(all, each)
		}
		if err != nil {
			return f, err
		}
	}
	for _, each := range all {
		if _, err := each.line(); err != nil {
			return f, err
		}
	}
	start := time.Now().Add(p.calm)
	provider.failBetween(start, start.Add(p.trouble))
	for _, each := range all {
		if _, err := fmt.Fprintln(each.in, "go"); err != nil {
			return f, err
		}
	}
	for _, each := range all {
		text, err := each.line()
		if err != nil {
			return f, err
		}
		var c counts
		if err := json.Unmarshal(text, &c); err != nil {
			return f, err
		}
		f.answered += c.Answered
		f.failed += c.Failed
	}
	f.add(provider, p)
	return f, nil
}
