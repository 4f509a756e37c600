package supervise_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/errclass/errclass/supervise"
)

// These are environment variables of the server:
//
//   - startsVariable names a file. Each start appends a byte to the file.
//   - faultsVariable lists a fault for each start, separated by commas.
const (
	startsVariable = "SUPERVISE_TEST_STARTS"
	faultsVariable = "SUPERVISE_TEST_FAULTS"
)

// serveLines is a server on standard input and output. It answers each line with a
// line. The handshake is "hello".
func serveLines([]string) {
	dialLifeline()
	fault := nextFault()
	if code, ok := strings.CutPrefix(fault, "exit "); ok {
		crash(code)
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		word, rest, _ := strings.Cut(in.Text(), " ")
		switch word {
		case "hello":
			if fault == "mute" {
				continue
			}
			fmt.Println("hello")
		case "echo":
			fmt.Println(rest)
		case "fail":
			fmt.Println("error: " + rest)
		case "last": // exits after a long answer, which still fits into a pipe
			fmt.Print(strings.Repeat("x", 4_000))
			os.Exit(0)
		case "crash":
			crash(rest)
		case "close-output":
			_ = os.Stdout.Close()
		case "close-input":
			_ = os.Stdin.Close()
			fmt.Println("closed")
			waitForever()
		case "hang": // sends no answer
		}
	}
}

func crash(code string) {
	fmt.Fprintln(os.Stderr, "boom, key=sk-abcdefgh12345678")
	n, _ := strconv.Atoi(code)
	os.Exit(n)
}

// nextFault records that this process was started. It returns the name of the fault
// to simulate, or "".
func nextFault() string {
	name := os.Getenv(startsVariable)
	if name == "" {
		return ""
	}
	before, _ := os.ReadFile(name)
	_ = os.WriteFile(name, append(before, '.'), 0o600)
	faults := strings.Split(os.Getenv(faultsVariable), ",")
	if len(before) < len(faults) {
		return faults[len(before)]
	}
	return ""
}

// lineClient is a client for serveLines. It sends one question at a time.
type lineClient struct {
	mu   sync.Mutex
	conn io.ReadWriteCloser
	in   *bufio.Reader
}

func dialLines(_ context.Context, conn io.ReadWriteCloser) (*lineClient, error) {
	c := &lineClient{conn: conn, in: bufio.NewReader(conn)}
	answer, err := c.ask("hello")
	if err == nil && answer != "hello" {
		err = fmt.Errorf("no handshake: %q", answer)
	}
	return c, err
}

func (c *lineClient) ask(question string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := fmt.Fprintln(c.conn, question); err != nil {
		return "", err
	}
	answer, err := c.in.ReadString('\n')
	if err != nil {
		return "", err
	}
	answer = strings.TrimSuffix(answer, "\n")
	if text, failed := strings.CutPrefix(answer, "error: "); failed {
		return "", errors.New(text)
	}
	return answer, nil
}

func ask(ctx context.Context, s *supervise.Server[*lineClient], question string) (string, error) {
	return supervise.Call(ctx, s, "lines", func(_ context.Context, c *lineClient) (string, error) { return c.ask(question) })
}

// statuses observes a server and keeps each status.
type statuses struct {
	mu   sync.Mutex
	all  []supervise.ServerStatus
	came chan struct{} // gets a value at each status
}

func newStatuses() *statuses { return &statuses{came: make(chan struct{}, 100)} }

func (s *statuses) observe(status supervise.ServerStatus) {
	s.mu.Lock()
	s.all = append(s.all, status)
	s.mu.Unlock()
	s.came <- struct{}{}
}

// until waits for the first status with the given state.
func (s *statuses) until(t *testing.T, state supervise.ServerState) supervise.ServerStatus {
	t.Helper()
	for {
		s.mu.Lock()
		for _, status := range s.all {
			if status.State == state {
				s.mu.Unlock()
				return status
			}
		}
		s.mu.Unlock()
		waitClosed(t, asClosed(s.came), "the server to be "+string(state))
	}
}

// asClosed returns a channel that is closed when a value arrives on ch.
func asClosed(ch <-chan struct{}) <-chan struct{} {
	closed := make(chan struct{})
	go func() {
		<-ch
		close(closed)
	}()
	return closed
}

func (s *statuses) states() (all []supervise.ServerState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, status := range s.all {
		all = append(all, status.State)
	}
	return all
}

type ioConn = io.ReadWriteCloser
