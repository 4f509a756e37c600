package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// collector is the running process of a Collector.
type collector struct {
	cmd *exec.Cmd
	log string
}

// start starts the Collector with a configuration and waits until it is ready.
// health is the address of its health check.
func start(ctx context.Context, s settings, name, config, health string, args ...string) (*collector, error) {
	path := filepath.Join(s.dir, name+".yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		return nil, err
	}
	return startFile(ctx, s, name, path, health, nil, args...)
}

// startFile starts the Collector with the configuration file path, and waits until
// the Collector is ready. env has additional environment variables.
func startFile(ctx context.Context, s settings, name, path, health string, env []string, args ...string) (*collector, error) {
	c := &collector{log: filepath.Join(s.dir, name+".log")}
	log, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	c.cmd = exec.CommandContext(ctx, s.collector, append([]string{"--config", path}, args...)...)
	c.cmd.Env = append(os.Environ(), env...)
	c.cmd.Stdout, c.cmd.Stderr = log, log
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	err = until(ctx, time.Minute, "the Collector is ready", func() bool {
		resp, err := http.Get("http://" + health)
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	if err != nil {
		return nil, errors.Join(err, c.kill(), c.lastWords())
	}
	return c, nil
}

// stop ends the Collector with SIGTERM and waits for its end.
func (c *collector) stop() error {
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := c.cmd.Wait(); err != nil {
		return errors.Join(err, c.lastWords())
	}
	return nil
}

// kill ends the Collector with SIGKILL.
func (c *collector) kill() error {
	if err := c.cmd.Process.Kill(); err != nil {
		return err
	}
	_ = c.cmd.Wait() // killed
	return nil
}

func (c *collector) lastWords() error {
	text, _ := os.ReadFile(c.log)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return errors.New(strings.Join(lines[max(0, len(lines)-10):], "\n"))
}

// cpu returns the CPU time that the Collector has used.
func (c *collector) cpu() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The name in parentheses may have spaces. See proc_pid_stat(5): fields 14 and
	// 15 are user and system time, in units of 10 ms.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	user, err := strconv.Atoi(string(fields[14-3]))
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(string(fields[15-3]))
	return time.Duration(user+system) * 10 * time.Millisecond, err
}

// peak returns the largest resident memory of the Collector, in MB.
func (c *collector) peak() (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	return float64(kb) * 1024 / 1e6, err
}

// until waits until condition returns true. After the time limit it returns an
// error.
func until(ctx context.Context, limit time.Duration, what string, condition func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting until %s: %w", what, ctx.Err())
		case <-tick.C:
		}
	}
	return nil
}

// free returns n loopback addresses with unused ports.
func free(n int) ([]string, error) {
	var all []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // after the loop, so that no port is chosen twice
		all = append(all, l.Addr().String())
	}
	return all, nil
}

// freePorts returns n unused ports.
func freePorts(n int) ([]string, error) {
	addresses, err := free(n)
	for i, a := range addresses {
		_, addresses[i], _ = net.SplitHostPort(a)
	}
	return addresses, err
}
