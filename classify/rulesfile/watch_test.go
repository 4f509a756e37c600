package rulesfile_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/rulesfile"
	"github.com/errclass/errclass/slogclass"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// document returns a rules file with one rule for each reason.
func document(reasons ...classify.Reason) string {
	var b strings.Builder
	b.WriteString("rules:\n")
	for _, r := range reasons {
		fmt.Fprintf(&b, "  - id: test/%s\n    reason: %s\n    pattern: 'shard \\d is moving'\n", r, r)
	}
	return b.String()
}

const moving = "shard 7 is moving"

// watch is a rules file and the classifier that Watch returned for it. It records the
// calls of the functions that were set by WithLoadFunc and WithErrorFunc.
type watch struct {
	t    *testing.T
	path string
	c    *classify.Classifier

	mu    sync.Mutex
	loads [][]classify.Rule
	errs  []error
}

// recorded returns the arguments of the recorded calls.
func (w *watch) recorded() (loads [][]classify.Rule, errs []error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.loads, w.errs
}

// withWatch runs a test with a rules file, under fake time. The interval is one
// second.
func withWatch(t *testing.T, test func(w *watch), opts ...rulesfile.Option) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := &watch{t: t, path: filepath.Join(dir, "rules.yaml")}
		w.write(document(classify.ReasonTransient))
		w.start(opts...)
		test(w)
	})
}

func (w *watch) start(opts ...rulesfile.Option) {
	var err error
	w.c, err = rulesfile.Watch(w.t.Context(), w.path, append([]rulesfile.Option{
		rulesfile.WithInterval(time.Second),
		rulesfile.WithErrorFunc(func(err error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.errs = append(w.errs, err)
		}),
		rulesfile.WithLoadFunc(func(rules []classify.Rule) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.loads = append(w.loads, rules)
		}),
	}, opts...)...)
	require.NoError(w.t, err)
	w.assertReason(classify.ReasonTransient)
}

func (w *watch) write(text string) { w.writeTo(w.path, text) }

func (w *watch) writeTo(path, text string) {
	w.t.Helper()
	require.NoError(w.t, os.WriteFile(path, []byte(text), 0o600))
}

// waitChecks waits until Watch has checked the file n times.
func (w *watch) waitChecks(n int) {
	for range n {
		time.Sleep(time.Second)
		synctest.Wait()
	}
}

// assertReason checks the reason for a text twice, the second time from the cache.
func (w *watch) assertReason(want classify.Reason) {
	w.t.Helper()
	for range 2 {
		assert.Equal(w.t, want, w.c.Message(moving).Reason)
		assert.Equal(w.t, want, w.c.Error(errors.New(moving)).Reason)
	}
}

func TestWatchFollows(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(w *watch, text string){
		"written in place": (*watch).write,
		"replaced by a rename": func(w *watch, text string) {
			w.writeTo(w.path+".new", text)
			require.NoError(w.t, os.Rename(w.path+".new", w.path))
		},
		"removed and made anew": func(w *watch, text string) {
			require.NoError(w.t, os.Remove(w.path))
			w.waitChecks(1)
			w.write(text)
		},
		"away for long": func(w *watch, text string) {
			require.NoError(w.t, os.Remove(w.path))
			w.waitChecks(5)
			w.assertReason(classify.ReasonTransient)
			w.write(text)
		},
		"renamed with an old modification time": func(w *watch, text string) {
			w.writeTo(w.path+".new", text)
			require.NoError(w.t, os.Chtimes(w.path+".new", time.Time{}, time.Now().Add(-time.Hour)))
			require.NoError(w.t, os.Rename(w.path+".new", w.path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withWatch(t, func(w *watch) {
				w.waitChecks(3)
				loads, _ := w.recorded()
				assert.Empty(w.t, loads, "the same content is not loaded again")
				for i, reason := range []classify.Reason{classify.ReasonResource, classify.ReasonLogic, classify.ReasonTransient} {
					if i > 0 {
						replace = (*watch).write
					}
					replace(w, document(reason))
					w.waitChecks(2)
					w.assertReason(reason)
					loads, _ = w.recorded()
					require.Len(w.t, loads, i+1)
					assert.Equal(w.t, reason, loads[i][0].Reason)
				}
			})
		})
	}
}

// A change that keeps the size of the file is detected by its modification time.
func TestWatchSeesOldFilesChange(t *testing.T) {
	t.Parallel()
	withWatch(t, func(w *watch) {
		for i, reason := range []classify.Reason{classify.ReasonNetwork, classify.ReasonParsing, classify.ReasonTimeout, classify.ReasonUnknown} {
			w.write(document(reason))
			require.NoError(w.t, os.Chtimes(w.path, time.Time{}, time.Now().Add(time.Duration(i-9)*time.Hour)))
			w.waitChecks(2)
			w.assertReason(reason)
		}
	})
}

func TestWatchWaitsUntilTheFileIsWritten(t *testing.T) {
	t.Parallel()
	withWatch(t, func(w *watch) {
		whole := document(classify.ReasonPolicy, classify.ReasonResource, classify.ReasonLogic)
		for _, n := range []int{0, len(whole) / 3, len(whole) / 2, len(whole) - 1, len(whole)} { // some of these parts are valid YAML
			w.write(whole[:n])
			w.waitChecks(1)
			w.assertReason(classify.ReasonTransient)
		}
		w.waitChecks(1)
		w.assertReason(classify.ReasonPolicy)
		loads, errs := w.recorded()
		assert.Len(w.t, loads, 1)
		assert.Empty(w.t, errs)
	})
}

func TestWatchKeepsTheRules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(w *watch)
		line int // the line of the fault
	}{
		{"invalid YAML", func(w *watch) { w.write("rules: [") }, 1},
		{"an unknown reason", func(w *watch) { w.write(document("transcendent")) }, 3},
		{"a bad pattern", func(w *watch) { w.write("rules:\n  - id: x\n    reason: logic\n    pattern: '('\n") }, 4},
		{"too large", func(w *watch) { w.write(strings.Repeat("#", rulesfile.MaxBytes+1)) }, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			withWatch(t, func(w *watch) {
				tt.do(w)
				w.waitChecks(5)
				w.assertReason(classify.ReasonTransient)
				_, errs := w.recorded()
				require.Len(w.t, errs, 1, "it is told once")
				var fault *rulesfile.Error
				require.ErrorAs(w.t, errs[0], &fault)
				assert.Equal(w.t, tt.line, fault.Line)
				assert.ErrorContains(w.t, errs[0], w.path)

				w.write(document(classify.ReasonResource))
				w.waitChecks(2)
				w.assertReason(classify.ReasonResource)
				tt.do(w)
				w.waitChecks(2)
				w.assertReason(classify.ReasonResource)
				_, errs = w.recorded()
				assert.Len(w.t, errs, 2, "the same fault again")
			})
		})
	}
}

func TestWatchFileIsGone(t *testing.T) {
	t.Parallel()
	withWatch(t, func(w *watch) {
		require.NoError(w.t, os.Remove(w.path))
		w.waitChecks(5)
		w.assertReason(classify.ReasonTransient)
		_, errs := w.recorded()
		require.Len(w.t, errs, 1)
		assert.ErrorIs(w.t, errs[0], fs.ErrNotExist)

		require.NoError(w.t, os.Mkdir(w.path, 0o700))
		w.waitChecks(5)
		w.assertReason(classify.ReasonTransient)
		_, errs = w.recorded()
		require.Len(w.t, errs, 2)
		assert.ErrorContains(w.t, errs[1], "not a regular file")
	})
}

// The functions for errors and for new rules may be nil.
func TestWatchWithoutFunctions(t *testing.T) {
	t.Parallel()
	withWatch(t, func(w *watch) {
		w.write("rules: [")
		w.waitChecks(2)
		w.write(document(classify.ReasonResource))
		w.waitChecks(2)
		w.assertReason(classify.ReasonResource)
	}, nil, rulesfile.WithErrorFunc(nil), rulesfile.WithLoadFunc(nil), rulesfile.WithInterval(0))
}

func TestWatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := &watch{t: t, path: filepath.Join(dir, "rules.yaml")}
		w.write(document(classify.ReasonTransient))
		ctx, cancel := context.WithCancel(t.Context())
		var err error
		w.c, err = rulesfile.Watch(ctx, w.path)
		require.NoError(t, err)
		cancel()
		synctest.Wait()
		w.write(document(classify.ReasonResource))
		w.waitChecks(10)
		w.assertReason(classify.ReasonTransient)
	})
}

func TestWatchOptionsOfTheClassifier(t *testing.T) {
	t.Parallel()
	own := classify.Rule{ID: "own", Pattern: "is moving slowly", Reason: classify.ReasonMCP}
	withWatch(t, func(w *watch) {
		for _, reason := range []classify.Reason{classify.ReasonTransient, classify.ReasonResource} {
			w.write(document(reason))
			w.waitChecks(2)
			w.assertReason(reason)
			assert.Equal(w.t, "own", w.c.Message(moving+" slowly").Rule)
			assert.Equal(w.t, classify.ReasonUnknown, w.c.Message("HTTP 429").Reason)
		}
	}, rulesfile.WithClassifier(classify.WithBase(classify.None)), rulesfile.WithClassifier(classify.WithRules(own)))
}

func TestWatchFailsAtTheStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.yaml")
	require.NoError(t, os.WriteFile(bad, []byte("rules:\n  - id: x\n"), 0o600))
	twice := classify.WithRules(classify.Rule{ID: "test/transient", Pattern: "x", Reason: classify.ReasonLogic})
	good := filepath.Join(dir, "good.yaml")
	require.NoError(t, os.WriteFile(good, []byte(document(classify.ReasonTransient)), 0o600))
	for _, tt := range []struct {
		name, path, want string
	}{
		{"no file", filepath.Join(dir, "none.yaml"), "none.yaml"},
		{"a folder", dir, "not a regular file"},
		{"a fault", bad, "line 2"},
		{"an id that the program's own rules have", good, "have the same id"},
	} {
		c, err := rulesfile.Watch(t.Context(), tt.path, rulesfile.WithClassifier(twice))
		assert.ErrorContains(t, err, tt.want, tt.name)
		assert.Nil(t, c, tt.name)
	}
}

// In this example the rules of a logger change while the program runs.
func ExampleWatch() {
	dir, err := os.MkdirTemp("", "rules")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "rules.yaml")
	write := func(text string) {
		if err := errors.Join(os.WriteFile(path+".new", []byte(text), 0o600), os.Rename(path+".new", path)); err != nil {
			log.Fatal(err)
		}
	}
	write("rules: []")

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	loaded := make(chan int)
	classifier, err := rulesfile.Watch(ctx, path,
		rulesfile.WithInterval(10*time.Millisecond), // the default of 2 s is right for programs
		rulesfile.WithErrorFunc(func(err error) { slog.Warn("the old rules stay", "err", err) }),
		rulesfile.WithLoadFunc(func(rules []classify.Rule) { loaded <- len(rules) }))
	if err != nil {
		log.Fatal(err)
	}
	logger := slog.New(slogclass.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime}),
		slogclass.WithClassifier(classifier)))

	logger.Error("order failed", "err", errors.New("till 7: E-4711"))
	write("rules: [{id: shop/till, reason: transient, pattern: 'E-4711'}]")
	fmt.Println("rules:", <-loaded)
	logger.Error("order failed", "err", errors.New("till 7: E-4711"))
	// Output:
	// level=ERROR msg="order failed" error.category=fatal error.reason=unknown err="till 7: E-4711"
	// rules: 1
	// level=ERROR msg="order failed" error.category=retryable error.reason=transient err="till 7: E-4711"
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}
