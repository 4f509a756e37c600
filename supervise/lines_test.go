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

// startsVariable names a file that gets a byte with every start of a server, and
// faultsVariable what goes wrong with each of them, separated by commas.
const (
	startsVariable = "SUPERVISE_TEST_STARTS"
	faultsVariable = "SUPERVISE_TEST_FAULTS"
)

// serveLines is a server on stdio: a line in, a line out. "hello" is the
// handshake; see the cases for what else it does.
func serveLines([]string) {
	lifeline()
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
		case "crash":
			crash(rest)
		case "close-output":
			_ = os.Stdout.Close()
		case "close-input":
			_ = os.Stdin.Close()
			fmt.Println("closed")
			forever()
		case "hang": // and answer nothing
		}
	}
}

func crash(code string) {
	fmt.Fprintln(os.Stderr, "boom, key=sk-abcdefgh12345678")
	n, _ := strconv.Atoi(code)
	os.Exit(n)
}

// nextFault counts this start and returns what is to go wrong with it.
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

// lineClient speaks the protocol of serveLines. One question at a time.
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

// statuses collects what an observer sees.
type statuses struct {
	mu   sync.Mutex
	seen []supervise.ServerStatus
	came chan struct{} // a value with each
}

func newStatuses() *statuses { return &statuses{came: make(chan struct{}, 100)} }

func (s *statuses) observe(status supervise.ServerStatus) {
	s.mu.Lock()
	s.seen = append(s.seen, status)
	s.mu.Unlock()
	s.came <- struct{}{}
}

// until waits for the first status with that state.
func (s *statuses) until(t *testing.T, state supervise.ServerState) supervise.ServerStatus {
	t.Helper()
	for {
		s.mu.Lock()
		for _, status := range s.seen {
			if status.State == state {
				s.mu.Unlock()
				return status
			}
		}
		s.mu.Unlock()
		soon(t, asClosed(s.came), "the server to be "+string(state))
	}
}

// asClosed is closed when ch gives a value.
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
	for _, status := range s.seen {
		all = append(all, status.State)
	}
	return all
}

type ioConn = io.ReadWriteCloser
