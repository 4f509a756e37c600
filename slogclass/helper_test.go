package slogclass_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/slogclass"
)

func TestMain(m *testing.M) {
	if child := children[os.Getenv(childEnv)]; child != nil {
		child()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// testClassifier is the standard classifier with four user rules.
var testClassifier = func() *classify.Classifier {
	c, err := classify.New(classify.WithRules(
		classify.Rule{ID: "alpha", Reason: classify.ReasonRateLimit, Pattern: `\balpha\b`},
		classify.Rule{ID: "beta", Reason: classify.ReasonAuthentication, Pattern: `\bbeta\b`},
		classify.Rule{ID: "gamma", Reason: classify.ReasonNetwork, Pattern: `\bgamma\b`},
		classify.Rule{ID: "delta", Reason: classify.ReasonContextOverflow, Pattern: `\bdelta\b`},
	))
	if err != nil {
		panic(err)
	}
	return c
}()

// output is a buffer for JSON lines. It is safe for concurrent use.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// lines decodes the lines. It fails on a duplicate key, because encoding/json would
// accept the duplicate.
func (o *output) lines(t require.TestingT) []map[string]any {
	var all []map[string]any
	for line := range strings.Lines(o.String()) {
		require.NoError(t, uniqueKeys(line), line)
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &m), line)
		all = append(all, m)
	}
	return all
}

// line decodes the output, which must be one line.
func (o *output) line(t require.TestingT) map[string]any {
	all := o.lines(t)
	require.Len(t, all, 1, o.String())
	return all[0]
}

func uniqueKeys(line string) error {
	d := json.NewDecoder(strings.NewReader(line))
	var seen []map[string]bool // the keys at each depth; nil inside an array
	key := false               // whether the next string is a key
	for {
		tok, err := d.Token()
		if err != nil {
			return nil // the end, or a syntax error that Unmarshal reports
		}
		switch tok {
		case json.Delim('{'):
			seen, key = append(seen, map[string]bool{}), true
			continue
		case json.Delim('['):
			seen, key = append(seen, nil), false
			continue
		case json.Delim('}'), json.Delim(']'):
			seen = seen[:len(seen)-1]
		default:
			if key {
				name := tok.(string)
				top := seen[len(seen)-1]
				if top[name] {
					return fmt.Errorf("duplicate key %q", name)
				}
				top[name] = true
				key = false
				continue
			}
		}
		key = len(seen) > 0 && seen[len(seen)-1] != nil
	}
}

// newLogger returns a logger that writes JSON without the time. It uses
// testClassifier unless opts set another.
func newLogger(opts ...slogclass.Option) (*slog.Logger, *output) {
	out := &output{}
	opts = append([]slogclass.Option{slogclass.WithClassifier(testClassifier)}, opts...)
	return slog.New(slogclass.New(jsonHandler(out), opts...)), out
}

func jsonHandler(out *output) slog.Handler {
	return slog.NewJSONHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: dropTime})
}

func dropTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// classified returns the line's category and reason as "category/reason".
func classified(line map[string]any) string {
	return fmt.Sprint(line["error.category"], "/", line["error.reason"])
}

// These are the results of the function classified for the four rules of
// testClassifier.
const (
	alpha   = "retryable/rate_limit"
	beta    = "fatal/authentication"
	gamma   = "retryable/network"
	delta   = "context_overflow/context_overflow"
	unknown = "fatal/unknown"
	nothing = "<nil>/<nil>"
)

// pruned removes empty objects from m, at any depth. slog writes {} for a LogValuer
// that returns an empty group.
func pruned(m map[string]any) map[string]any {
	for key, value := range m {
		if inner, ok := value.(map[string]any); ok && len(pruned(inner)) == 0 {
			delete(m, key)
		}
	}
	return m
}
