package supervise_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errclass/errclass/supervise"
)

// The tests run their own binary as a child. These are environment variables of the
// child:
//
//   - its role, the function that it runs
//   - its lifeline, the address of a connection to the test
const (
	roleVariable     = "SUPERVISE_TEST_ROLE"
	lifelineVariable = "SUPERVISE_TEST_LIFELINE"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		run, ok := roles[role]
		if !ok {
			fmt.Fprintln(os.Stderr, "no such role:", role)
			os.Exit(2)
		}
		run(os.Args[1:])
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// roles maps names to the functions that a child may run.
var roles = map[string]func(args []string){
	// "say CODE TEXT" writes TEXT to standard error and exits with CODE.
	"say": func(args []string) {
		fmt.Fprint(os.Stderr, strings.Join(args[1:], " "))
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	},
	// "long CODE SIZE TEXT" writes SIZE bytes that end with TEXT to standard error,
	// and exits with CODE.
	"long": func(args []string) {
		size, _ := strconv.Atoi(args[1])
		fmt.Fprintln(os.Stderr, strings.Repeat("x", size-len(args[2]))+args[2])
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	},
	// "events CODE STDERR LINE..." writes the lines to standard output and STDERR to
	// standard error. It exits with CODE.
	"events": func(args []string) {
		for _, line := range args[2:] {
			if line != "--json" {
				fmt.Println(line)
			}
		}
		fmt.Fprint(os.Stderr, args[1])
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	},
	// "both" writes a line to standard output and a line to standard error.
	"both": func([]string) {
		fmt.Println("out")
		fmt.Fprintln(os.Stderr, "err")
	},
	// "cat" copies its input to its output.
	"cat": func([]string) { _, _ = io.Copy(os.Stdout, os.Stdin) },
	// "wait" prints "ready" and runs until it is ended.
	"wait": func([]string) {
		dialLifeline()
		fmt.Println("ready")
		waitForever()
	},
	// "leave" starts a child that keeps the output open. Then "leave" itself exits.
	"leave": func([]string) { startGrandchild("wait") },
	// "parent ROLE" starts a child with the role ROLE and runs until it is ended.
	"parent": func(args []string) {
		startGrandchild(args[0])
		waitForever()
	},
	"version": func(args []string) {
		if text := os.Getenv("SUPERVISE_TEST_VERSION"); len(args) == 1 && args[0] == "--version" {
			fmt.Println(text)
		}
	},
	"lines": serveLines,
}

// waitForever runs until this process is ended or the test closes the lifeline.
// Therefore no process outlives the tests.
func waitForever() {
	if lifeline != nil {
		_, _ = io.Copy(io.Discard, lifeline)
		return
	}
	time.Sleep(time.Hour)
}

// startGrandchild starts a child of this child and waits until it is ready.
func startGrandchild(role string) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	ready, _ := bufio.NewReader(out).ReadString('\n')
	fmt.Print(ready)
}

// lifeline is a connection to the test. It stays open until this process ends.
var lifeline net.Conn

// dialLifeline opens the lifeline if the environment has its address.
func dialLifeline() {
	if address := os.Getenv(lifelineVariable); address != "" {
		var err error
		if lifeline, err = net.Dial("tcp", address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
	}
}

// self returns a command that runs the test binary in a role. The limits are so long
// that no test reaches them by accident.
func self(t testing.TB, role string, args ...string) supervise.Command {
	program, err := os.Executable()
	if t != nil {
		require.NoError(t, err)
	}
	return supervise.Command{
		Name: program, Args: args,
		// Without GORACE, the race detector delays each exit by a second.
		Env:     append(os.Environ(), roleVariable+"="+role, "GORACE=atexit_sleep_ms=0"),
		Timeout: time.Minute, Silence: time.Minute,
	}
}

// withLifeline makes the child of c, or a process that the child starts, connect to
// the test. gone is closed when the connected process has ended.
func withLifeline(t *testing.T, c *supervise.Command) (gone <-chan struct{}, hangUp func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c.Env = append(c.Env, lifelineVariable+"="+l.Addr().String())
	conns := make(chan net.Conn, 1)
	ch := make(chan struct{})
	go func() {
		defer close(ch)
		conn, err := l.Accept()
		if !assert.NoError(t, err) {
			return
		}
		conns <- conn
		_, _ = io.Copy(io.Discard, conn)
	}()
	t.Cleanup(func() { _ = l.Close() })
	return ch, func() { _ = (<-conns).Close() }
}

// waitClosed waits until ch is closed. After 30 s, the test fails.
func waitClosed(t *testing.T, ch <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(30 * time.Second):
		require.Fail(t, "timeout waiting for "+what)
	}
}

// signalWriter closes a channel at the first write.
type signalWriter struct {
	ready chan struct{}
	done  bool
}

func newSignal() *signalWriter { return &signalWriter{ready: make(chan struct{})} }

func (w *signalWriter) Write(p []byte) (int, error) {
	if !w.done {
		w.done = true
		close(w.ready)
	}
	return len(p), nil
}
