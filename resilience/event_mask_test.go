package resilience_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// Target.Name omits user information, query and fragment, even if the URL is
// invalid.
func TestNameHasNoSecrets(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, endpoint, want string }{
		{"plain", "https://api.example.com/v1", "https://api.example.com/v1"},
		{"port", "http://localhost:8080/a@b:c", "http://localhost:8080/a@b:c"},
		{"user and password", "https://bob:s3cret@api.example.com/v1", "https://api.example.com/v1"},
		{"token", "https://s3cret@api.example.com", "https://api.example.com"},
		{"query", "https://api.example.com/v1?key=s3cret&x=1", "https://api.example.com/v1"},
		{"fragment", "https://api.example.com/#access_token=s3cret", "https://api.example.com/"},
		{"all", "https://bob:s3cret@h:1/p?s3cret#s3cret", "https://h:1/p"},
		{"two at signs", "https://bob:s3@cret@h/p", "https://h/p"},
		{"slash in the password", "https://bob:s3/cret@h/p", "https://h/p"},
		{"question mark in the password", "https://bob:s3?cret@h/p?q", "https://h/p"},
		{"hash in the password", "https://bob:s3#cret@h/p", "https://h/p"},
		{"backslash", `https://bob:s3cret@h\p?s3cret`, `https://h\p`},
		{"opaque", "mailto:bob:s3cret@h.example", "h.example"},
		{"opaque query", "svc:name?key=s3cret", "svc:name"},
		{"no scheme", "bob:s3cret@h.example:443/x?y=s3cret", "h.example:443/x"},
		{"unparseable", "https://bob:s3cret@h:port/%zz?s3cret", "https://h:port/%zz"},
		{"control characters", "https://bob:s3cret@h/\x00?s3cret", "https://h/\x00"},
		{"encoded at sign", "https://bob:s3cret%40h/p", "https://h/p"},
		{"no host", "://bob:s3cret@h", "://h"},
		{"IPv6", "http://bob:s3cret@[::1]:80/x", "http://[::1]:80/x"},
		{"model with a version", "text-bison@001", "text-bison@001"},
		{"webhook", "https://hooks.slack.com/services/T00000000/B00000000/s3crets3cret", "https://hooks.slack.com/services/[masked]~99335a3c10d0"},
		{"bot", "https://api.telegram.org/bot123456:AAs3crets3cret/x", "https://api.telegram.org/bot[masked]~9a2162694f7f"},
		{"key in the path", "https://h/v1/sk-s3crets3cret/x", "https://h/v1/[masked]/x~6c015dc0c80f"},
		{"key in the path, and a user", "https://bob:s3cret@h/v1/sk-s3crets3cret/x?s3cret", "https://h/v1/[masked]/x~6c015dc0c80f"},
		{"parameters without a question mark", "https://h/v1&key=s3cret", "https://h/v1"},
		{"matrix parameters", "https://h/v1;token=s3cret/x", "https://h/v1"},
		{"backslashes behind the scheme", `https:\\bob:s3cret@h`, `https:\\h`},
		{"one slash", "https:/bob:s3cret@h/v1", "https:/h/v1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			name := resilience.Target{Endpoint: tt.endpoint, Provider: "p"}.Name()
			assert.Equal(t, tt.want, name)
			assert.Equal(t, name, resilience.Target{Endpoint: name}.Name(), "a name is its own name")
		})
	}
	assert.Equal(t, "p", resilience.Target{Endpoint: "?key=s3cret", Provider: "p"}.Name(), "nothing is left of it")
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[a-z0-9/?#:@%]{0,6}S3CRET[a-z0-9/?#:@%]{0,6}`).Draw(t, "secret")
		u := url.URL{Scheme: "https", User: url.UserPassword("bob", secret), Host: "h.example", Path: "/v1", RawQuery: "q=" + url.QueryEscape(secret)}
		assert.Equal(t, "https://h.example/v1", resilience.Target{Endpoint: u.String()}.Name())
		raw := rapid.StringMatching(`x[a-z0-9/?#:]{0,6}S3CRET[a-z0-9/?#:]{0,6}`).Draw(t, "raw")
		assert.NotContains(t, resilience.Target{Endpoint: "https://bob:" + raw + "@h.example/v1?" + raw}.Name(), "S3CRET")
	})
}

// Secrets in names of providers, models or agents are masked everywhere.
func TestProvidersAreMasked(t *testing.T) {
	t.Parallel()
	const key = "sk-S3CRETS3CRET12"
	assert.Equal(t, "[masked]~ef258ca18bfe", resilience.Target{Provider: key}.Name())
	assert.Equal(t, "m [masked]~7e57874c3be1", resilience.Target{Model: "m " + key}.Name())
	target := resilience.Target{Endpoint: "https://h/" + key, Provider: key, Model: key}
	result := classify.Result{Category: classify.CategoryRetryable, Reason: classify.ReasonNetwork, Provider: key}
	event := resilience.Event{Kind: resilience.KindAttempt, Key: key, Agent: key, Target: target, Result: result, Cause: result, From: key, To: key, Err: errors.New(key)}
	text, err := json.Marshal(event)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "S3CRET")
	assert.NotContains(t, event.LogValue().String(), "S3CRET")

	store := &recordingStore{records: map[string][]byte{}}
	q, err := resilience.NewQueue(nil, resilience.WithStore(store))
	require.NoError(t, err)
	q.Register("k", func(context.Context, []byte) error { return nil })
	require.NoError(t, q.Offer(t.Context(), resilience.Restart{
		Key: key, Agent: "a " + key, Targets: []resilience.Target{target}, Task: resilience.Task{Kind: "k"}, Err: errors.New(key), Result: result,
		History: []resilience.Attempt{{Target: target, Number: 1, Err: errors.New(key), Result: result}},
	}))
	_, err = q.Shutdown(t.Context())
	require.NoError(t, err)
	assert.NotContains(t, store.all.String(), "S3CRET")
	assert.Contains(t, store.all.String(), `"agent":"a [masked]"`)
}

// Targets whose ids look like secrets have breakers of their own. Nothing shows the ids.
func TestMaskedTargetsStayApart(t *testing.T) {
	t.Parallel()
	const one, other = "rZ9dLs5z5xc6pbNOGYrnBtG68YmQ", "Zk9dLs5z5xc6pbNOGYrnBtG68YmA"
	for name, target := range map[string]func(id string) resilience.Target{
		"key": func(id string) resilience.Target { return resilience.Target{Endpoint: "https://h/v2", Key: id} },
		"pair": func(id string) resilience.Target {
			return resilience.Target{Endpoint: "https://h/v2", Key: "token=" + id}
		},
		"endpoint": func(id string) resilience.Target {
			return resilience.Target{Endpoint: "https://h/v2/" + id + "?q=" + id}
		},
		"model": func(id string) resilience.Target { return resilience.Target{Model: id} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			var seen resilience.Target
			x := executor(t, enabled(), resilience.WithObserver(func(_ context.Context, e resilience.Event) {
				seen = e.Target
				fmt.Fprintf(&text, "%+v %v\n", e, e.LogValue())
			}))
			do := func(target resilience.Target) error {
				_, err := resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{target}},
					func(context.Context, resilience.Target) (int, error) { return 0, nil })
				return err
			}
			require.NoError(t, do(target(other)))
			require.NoError(t, do(target(one)))
			all := x.Breakers().Snapshot()
			require.Len(t, all, 2)
			fmt.Fprintf(&text, "%+v", all)
			assert.NotContains(t, text.String(), one)
			assert.NotContains(t, text.String(), other)

			require.NoError(t, do(seen), "a target of an event or a record")
			assert.Equal(t, target(one).Name(), seen.Name())
			require.Len(t, x.Breakers().Snapshot(), 2, "it is the same breaker")
			for _, b := range all {
				require.NoError(t, x.Breakers().Force(t.Context(), b.Endpoint, resilience.BreakerForceOpen))
			}
			require.ErrorIs(t, do(target(one)), resilience.ErrOpen)
			require.ErrorIs(t, do(target(other)), resilience.ErrOpen)
		})
	}
}

// Overrides for a masked name apply to all endpoints with that name, unless one has
// overrides of its own.
func TestConfig_MaskedEndpoints(t *testing.T) {
	t.Parallel()
	const secret, special = "https://h/v1/sk-S3CRETS3CRET12", "https://h/v1/sk-S3CRETS3CRET34"
	open := resilience.EndpointConfig{CircuitBreaker: resilience.BreakerConfig{Mode: resilience.BreakerForceOpen}}
	cfg := enabled()
	cfg.Endpoints = map[string]resilience.EndpointConfig{"https://h/v1/[masked]": open, resilience.Target{Endpoint: special}.Name(): {}}
	x := executor(t, cfg)
	for endpoint, want := range map[string]error{secret: resilience.ErrOpen, special: nil} {
		_, err := resilience.Do(t.Context(), x, resilience.Call{Targets: []resilience.Target{{Endpoint: endpoint}}},
			func(context.Context, resilience.Target) (int, error) { return 0, nil })
		require.ErrorIs(t, err, want)
	}
}

// recordingStore is a store that keeps every record.
type recordingStore struct {
	mu      sync.Mutex
	records map[string][]byte
	all     bytes.Buffer // all records ever put
}

func (m *recordingStore) Swap(id string, old, record []byte) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !bytes.Equal(m.records[id], old) {
		return false, nil
	}
	m.records[id] = bytes.Clone(record)
	if record == nil {
		delete(m.records, id)
	}
	m.all.Write(record)
	return true, nil
}

func (m *recordingStore) All() (map[string][]byte, error) { return m.records, nil }

// errLeaky is an error with every kind of secret.
var errLeaky = fmt.Errorf(`get "https://bob:S3CRETa@h/v1?sig=S3CRETb": Authorization: Token S3CRETc, {\"api_key\":\"S3CRETd\"}: %w`, errConnReset)

var errConnReset = errors.New("connection reset by peer")

// Stored records and events have no secrets. The payload of a task is unchanged.
func TestRecordsAndEventsAreMasked(t *testing.T) {
	t.Parallel()
	store := &recordingStore{records: map[string][]byte{}}
	var logged bytes.Buffer
	var mu sync.Mutex
	var told []resilience.Event
	log := resilience.LogEvents(slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	q, err := resilience.NewQueue(nil, resilience.WithStore(store), resilience.WithQueueObserver(func(ctx context.Context, e resilience.Event) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, e)
		log(ctx, e)
	}))
	require.NoError(t, err)
	q.Register("k", func(context.Context, []byte) error { return nil })
	target := resilience.Target{Endpoint: "https://bob:S3CRETe@h/v1?key=S3CRETf"}
	network := classify.Result{Category: classify.CategoryRetryable, Reason: classify.ReasonNetwork}
	require.NoError(t, q.Offer(t.Context(), resilience.Restart{
		Key: "job token=S3CRETg9", Targets: []resilience.Target{target}, Task: resilience.Task{Kind: "k", Payload: []byte("payload")}, Err: errLeaky, Result: network,
		History: []resilience.Attempt{{Target: target, Number: 1, Start: time.Now(), Err: errLeaky, Result: network}},
	}))
	left, err := q.Shutdown(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 1)
	assert.Equal(t, target, left[0].Restart.Targets[0], "in this process the task is as it was offered")

	records := store.all.String()
	assert.NotContains(t, records, "S3CRET")
	assert.Contains(t, records, "connection reset by peer")
	assert.Contains(t, records, `"payload":"cGF5bG9hZA=="`)
	require.NotEmpty(t, told)
	for _, e := range told {
		text, err := json.Marshal(e)
		require.NoError(t, err)
		assert.NotContains(t, string(text), "S3CRET")
		assert.Equal(t, "https://h/v1", e.Target.Endpoint)
		assert.ErrorIs(t, e.Err, errConnReset, "the error itself is the caller's own")
	}
	assert.NotContains(t, logged.String(), "S3CRET")
	assert.Contains(t, logged.String(), "connection reset by peer")

	again, err := resilience.NewQueue(nil, resilience.WithStore(store))
	require.NoError(t, err)
	require.Len(t, again.Tasks(), 1)
	assert.Equal(t, []byte("payload"), again.Tasks()[0].Restart.Task.Payload)
	_, err = again.Shutdown(t.Context())
	require.NoError(t, err)
}

// writingError is an error that log handlers can write without calling Error. All other
// methods write the header.
type writingError struct{ Header string }

func (*writingError) Error() string                  { return "401 unauthorized" }
func (e *writingError) MarshalJSON() ([]byte, error) { return json.Marshal(e.Header) }
func (e *writingError) MarshalText() ([]byte, error) { return []byte(e.Header), nil }
func (e *writingError) Format(f fmt.State, _ rune)   { fmt.Fprint(f, e.Header) }

// loggingError is a writingError with the method LogValue.
type loggingError struct{ writingError }

func (e *loggingError) LogValue() slog.Value { return slog.StringValue(e.Header) }

// A log record has the text of an error, whatever other methods the error has.
func TestLoggedErrorIsItsText(t *testing.T) {
	t.Parallel()
	header := writingError{"Authorization: Bearer S3CRETS3CRET12"}
	for _, err := range []error{&header, &loggingError{header}} {
		var out bytes.Buffer
		for _, h := range []slog.Handler{slog.NewJSONHandler(&out, nil), slog.NewTextHandler(&out, nil)} {
			e := resilience.Event{Kind: resilience.KindAlert, Err: err}
			resilience.LogEvents(slog.New(h))(t.Context(), e)
			slog.New(h).Info("x", "event", e)
		}
		assert.NotContains(t, out.String(), "S3CRET")
		assert.Equal(t, 4, strings.Count(out.String(), "401 unauthorized"))
	}
}

// errors.Is and errors.As work on a masked error.
func TestLoggedErrorIsFound(t *testing.T) {
	t.Parallel()
	wrapped := &url.Error{Op: "Get", URL: "https://bob:S3CRETa@h/", Err: errConnReset}
	for _, err := range []error{wrapped, errConnReset} {
		var logged error
		for _, a := range (resilience.Event{Kind: resilience.KindDone, Err: err}).LogValue().Group() {
			if a.Key == "err" {
				logged, _ = a.Value.Any().(error)
			}
		}
		require.ErrorIs(t, logged, errConnReset)
		assert.NotContains(t, logged.Error(), "S3CRET")
		assert.NotContains(t, fmt.Sprintf("%+v", logged), "S3CRET")
		if errors.Is(err, wrapped) {
			var found *url.Error
			require.ErrorAs(t, logged, &found)
		}
	}
}

// The labels of calls, fallbacks and breakers have no user information and no
// query.
func TestLabelsHaveNoSecrets(t *testing.T) {
	t.Parallel()
	var labels []string
	count := resilience.CountEvents(resilience.Counters{
		Fallback: func(_ context.Context, from, to string, _ classify.Result) { labels = append(labels, from, to) },
		Breaker:  func(_ context.Context, endpoint, state string) { labels = append(labels, endpoint, state) },
	})
	x, err := resilience.New(&resilience.Config{Enabled: true}, resilience.WithObserver(count), resilience.WithObserver(func(_ context.Context, e resilience.Event) {
		labels = append(labels, e.Target.Endpoint, e.From, e.To)
	}))
	require.NoError(t, err)
	call := resilience.Call{Targets: []resilience.Target{{Endpoint: "https://bob:S3CRET@a/?key=S3CRET"}, {Endpoint: "https://S3CRET@b/#S3CRET"}}, FallBack: func(resilience.Attempt) bool { return true }}
	var called []string
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	_, err = resilience.Do(ctx, x, call, func(_ context.Context, target resilience.Target) (int, error) {
		called = append(called, target.Endpoint)
		return 0, answer(400, "")
	})
	require.Error(t, err)
	assert.Contains(t, called, "https://bob:S3CRET@a/?key=S3CRET", "the function gets the target as it is")
	assert.Contains(t, labels, "https://a/")
	assert.NotContains(t, strings.Join(labels, " "), "S3CRET")
}
