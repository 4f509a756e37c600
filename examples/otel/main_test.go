package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asProgram is an environment variable. If it is set, the test binary runs main.
const asProgram = "OTEL_EXAMPLE_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program runs main in a separate process, with env as its only OpenTelemetry
// settings.
func program(t *testing.T, env ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "OTEL_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(append(cmd.Env, asProgram+"=1"), env...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	return out.String(), errOut.String(), err
}

const printed = `
span  GET /fine  no error
span  HTTP GET   no error

span     GET /overloaded          error.category=retryable  error.reason=transient
  event  exception                error.category=retryable  error.reason=transient
  log    no answer from upstream  error.category=retryable  error.reason=transient
span     HTTP GET                 error.category=retryable  error.reason=transient

span     GET /bad-key             error.category=fatal  error.reason=authentication
  event  exception                error.category=fatal  error.reason=authentication
  log    no answer from upstream  error.category=fatal  error.reason=authentication
span     HTTP GET                 error.category=fatal  error.reason=authentication

span     GET /slow                error.category=timeout  error.reason=timeout
  event  exception                error.category=timeout  error.reason=timeout
  log    no answer from upstream  error.category=timeout  error.reason=timeout
span     HTTP GET                 error.category=timeout  error.reason=timeout

counter errclass.errors, one for each category, reason and signal; those above 0:
signal=log   error.category=fatal      error.reason=authentication  1
signal=log   error.category=retryable  error.reason=transient       1
signal=log   error.category=timeout    error.reason=timeout         1
signal=span  error.category=fatal      error.reason=authentication  2
signal=span  error.category=retryable  error.reason=transient       2
signal=span  error.category=timeout    error.reason=timeout         2
`

// The program prints the data that its receiver got over HTTP.
func TestBuiltInReceiver(t *testing.T) {
	t.Parallel()
	stdout, stderr, err := program(t)
	require.NoError(t, err, "exit code; standard error:\n%s", stderr)
	assert.Equal(t, printed, stdout)
	assert.Empty(t, stderr)
}

func TestCollectorOfTheEnvironment(t *testing.T) {
	t.Parallel()
	collector := &receiver{}
	server := httptest.NewServer(collector)
	defer server.Close()

	stdout, stderr, err := program(t, endpointVariable+"="+server.URL)
	require.NoError(t, err, "exit code; standard error:\n%s", stderr)
	assert.Equal(t, "exported to "+server.URL+"\n", stdout)
	var arrived bytes.Buffer
	require.NoError(t, collector.print(&arrived))
	assert.Equal(t, printed, arrived.String())
}

// If the collector refuses the exports, the program fails.
func TestCollectorRefuses(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()

	stdout, stderr, err := program(t, endpointVariable+"="+server.URL)
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 1, exit.ExitCode())
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "404")
}

func TestReceiverRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, path, body, says string }{
		{"no protobuf", "/v1/traces", "no protobuf", "proto"},
		{"another path", "/v1/profiles", "", `no signal of OTLP has the path "/v1/profiles"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			new(receiver).ServeHTTP(w, httptest.NewRequest(http.MethodPost, tt.path, strings.NewReader(tt.body)))
			assert.Equal(t, http.StatusBadRequest, w.Code)
			assert.Contains(t, w.Body.String(), tt.says)
		})
	}
}
