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

// The test binary is also every child that the tests run: these variables say
// which one, and where somebody waits for its end.
const (
	roleVariable     = "SUPERVISE_TEST_ROLE"
	lifelineVariable = "SUPERVISE_TEST_LIFELINE"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		play, ok := roles[role]
		if !ok {
			fmt.Fprintln(os.Stderr, "no such role:", role)
			os.Exit(2)
		}
		play(os.Args[1:])
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// roles are what children do. What only one system has is added in files of
// that system.
var roles = map[string]func(args []string){
	// say CODE TEXT: writes TEXT to standard error and exits with CODE.
	"say": func(args []string) {
		fmt.Fprint(os.Stderr, strings.Join(args[1:], " "))
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	},
	// both: a line on each of the two outputs.
	"both": func([]string) {
		fmt.Println("out")
		fmt.Fprintln(os.Stderr, "err")
	},
	// cat: copies its input.
	"cat": func([]string) { _, _ = io.Copy(os.Stdout, os.Stdin) },
	// wait: says that it is there, and waits to be ended.
	"wait": func([]string) {
		lifeline()
		fmt.Println("ready")
		forever()
	},
	// leave: starts a child that waits and holds the output open, and goes.
	"leave": func([]string) { family("wait") },
	// parent ROLE: starts a child of that role, and waits to be ended.
	"parent": func(args []string) {
		family(args[0])
		forever()
	},
	"version": func(args []string) {
		if text := os.Getenv("SUPERVISE_TEST_VERSION"); len(args) == 1 && args[0] == "--version" {
			fmt.Println(text)
		}
	},
	"lines": serveLines,
}

// forever waits to be ended. A process that holds a lifeline goes when its test
// hangs up, so that none outlives the tests.
func forever() {
	if line != nil {
		_, _ = io.Copy(io.Discard, line)
		return
	}
	time.Sleep(time.Hour)
}

// family starts a child of this child and waits until it is there.
func family(role string) {
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

var line net.Conn // held until the process ends

// lifeline connects to the test that waits for the end of this process, if one
// does.
func lifeline() {
	if address := os.Getenv(lifelineVariable); address != "" {
		var err error
		if line, err = net.Dial("tcp", address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
	}
}

// self is a command that runs the test binary in a role. Limits are such that
// no test meets them unless it sets them.
func self(t testing.TB, role string, args ...string) supervise.Command {
	program, err := os.Executable()
	if t != nil {
		require.NoError(t, err)
	}
	return supervise.Command{
		Name: program, Args: args,
		// The race detector would keep every child for a second after its end.
		Env:     append(os.Environ(), roleVariable+"="+role, "GORACE=atexit_sleep_ms=0"),
		Timeout: time.Minute, Silence: time.Minute,
	}
}

// watched adds a lifeline to a command. The channel is closed when the process
// that holds it has ended.
func watched(t *testing.T, c *supervise.Command) (gone <-chan struct{}, hangUp func()) {
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

// soon waits for a channel to be closed, as long as any machine may need.
func soon(t *testing.T, ch <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(30 * time.Second):
		require.Fail(t, "waited in vain for "+what)
	}
}

// signalWriter closes ready at the first write.
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
