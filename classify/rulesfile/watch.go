package rulesfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/errclass/errclass/classify"
)

// DefaultInterval is the default of [WithInterval].
const DefaultInterval = 2 * time.Second

// Option configures [Watch].
type Option interface{ apply(config) config }

type config struct {
	interval time.Duration
	onError  func(error)
	onLoad   func([]classify.Rule)
	options  []classify.Option
}

type optionFunc func(config) config

func (f optionFunc) apply(c config) config { return f(c) }

// WithInterval sets the time between two checks of the file. The default is
// [DefaultInterval]; d ≤ 0 keeps it.
func WithInterval(d time.Duration) Option {
	return optionFunc(func(c config) config {
		if d > 0 {
			c.interval = d
		}
		return c
	})
}

// WithErrorFunc sets a function that Watch calls if new content of the file cannot
// be used. The error wraps an [*Error] for a fault in the rules, and
// [os.ErrNotExist] for a removed file. The function is called once for each fault,
// in the goroutine that watches the file. By default errors are ignored.
func WithErrorFunc(f func(error)) Option {
	return optionFunc(func(c config) config {
		c.onError = f
		return c
	})
}

// WithLoadFunc sets a function that Watch calls with the new rules after each change
// of the rules. It is not called for the first rules, which Watch loads before it
// returns. The function runs in the goroutine that watches the file. By default no
// function is called.
func WithLoadFunc(f func([]classify.Rule)) Option {
	return optionFunc(func(c config) config {
		c.onLoad = f
		return c
	})
}

// WithClassifier sets options of the classifier that Watch returns, such as
// classify.WithBase. Rules in these options take precedence over the rules of the
// file. The default is none.
func WithClassifier(opts ...classify.Option) Option {
	opts = slices.Clone(opts)
	return optionFunc(func(c config) config {
		c.options = slices.Concat(c.options, opts)
		return c
	})
}

// Watch loads the rules of the file at path and returns a classifier that uses
// them. When the file changes, the classifier gets the new rules. When ctx ends,
// it keeps its last rules. The classifier is safe for concurrent use; see
// [classify.Switchable]. Watch returns an error if the file cannot be read or has
// a fault.
//
// Watch polls the file, because not every file system reports changes as events:
// network file systems do not. Polling also finds a file that is replaced by a
// rename, as editors do, or through symbolic links, as Kubernetes does with a
// ConfigMap.
//
// Watch may read a file while it is being written. So it uses new content only
// after two checks in a row have found it. A change takes effect one to two
// intervals after the last write. A program that pauses for longer between writes
// should write another file and rename it.
//
// If new content has a fault, or the file is removed, the classifier keeps its
// rules and Watch calls the function of [WithErrorFunc].
func Watch(ctx context.Context, path string, opts ...Option) (*classify.Classifier, error) {
	w := watcher{path: path, cfg: config{interval: DefaultInterval}}
	for _, o := range opts {
		if o != nil {
			w.cfg = o.apply(w.cfg)
		}
	}
	w.used = w.check()
	first, _, err := w.compile(w.used)
	if err != nil {
		return nil, err
	}
	c, set := classify.Switchable(first)
	w.set = set
	go w.run(ctx)
	return c, nil
}

// watcher follows a file.
type watcher struct {
	path string
	cfg  config
	set  func(*classify.Classifier)

	used content  // the last content that was used, or that was reported as faulty
	next *content // new content that only the last check has found, or nil
	last lastRead
}

// content is the result of reading the file: its data or an error.
type content struct {
	data string
	err  error
}

func (c content) equal(d content) bool {
	if c.err != nil && d.err != nil {
		return c.err.Error() == d.err.Error()
	}
	return c.err == nil && d.err == nil && c.data == d.data
}

// lastRead describes the last read of the file.
type lastRead struct {
	at    time.Time
	info  os.FileInfo // from before the read
	found content
}

// run polls until ctx ends.
func (w *watcher) run(ctx context.Context) {
	ticker := time.NewTicker(w.cfg.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			w.poll()
		}
	}
}

// poll checks the file once. It uses new content only if the previous check
// found the same content.
func (w *watcher) poll() {
	found := w.check()
	switch {
	case found.equal(w.used):
		w.next = nil
	case w.next == nil || !found.equal(*w.next):
		w.next = &found
	default:
		w.used, w.next = found, nil
		w.use(found)
	}
}

// use compiles the rules of new content and switches to them. If the content has a
// fault, use reports the fault instead.
func (w *watcher) use(file content) {
	c, rules, err := w.compile(file)
	switch {
	case err == nil:
		w.set(c)
		if w.cfg.onLoad != nil {
			w.cfg.onLoad(rules)
		}
	case w.cfg.onError != nil:
		w.cfg.onError(err)
	}
}

// compile returns a classifier with the rules in file, and the rules.
func (w *watcher) compile(file content) (*classify.Classifier, []classify.Rule, error) {
	if file.err != nil {
		return nil, nil, fmt.Errorf("rules file: %w", file.err)
	}
	rules, err := Load(strings.NewReader(file.data))
	if err != nil {
		return nil, nil, fmt.Errorf("rules file %s: %w", w.path, err)
	}
	c, err := classify.New(append(slices.Clip(w.cfg.options), classify.WithRules(rules...))...)
	if err != nil {
		return nil, nil, fmt.Errorf("rules file %s: %w", w.path, err)
	}
	return c, rules, nil
}

// mtimeResolution is longer than the resolution of modification times in any file
// system. The coarsest is FAT with 2 s. Two changes within the resolution can have
// the same modification time.
const mtimeResolution = 3 * time.Second

// check returns the content of the file. It reads the file only if its size,
// identity or modification time is different from the last read, or if the file had
// changed shortly before that read. In the second case, a later change can have left
// the same modification time.
func (w *watcher) check() content {
	info, err := os.Stat(w.path) // follows symbolic links
	if err != nil {
		w.last = lastRead{}
		return content{err: err}
	}
	if l := w.last; l.info != nil && os.SameFile(info, l.info) && info.Size() == l.info.Size() &&
		info.ModTime().Equal(l.info.ModTime()) && l.at.Sub(info.ModTime()) > mtimeResolution {
		return l.found
	}
	w.last = lastRead{time.Now(), info, readFile(w.path, info)}
	return w.last.found
}

// readFile reads a file, but at most one byte more than Load accepts.
func readFile(path string, info os.FileInfo) content {
	if !info.Mode().IsRegular() { // reading a pipe would block
		return content{err: &os.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}}
	}
	f, err := os.Open(path)
	if err != nil {
		return content{err: err}
	}
	defer func() { _ = f.Close() }() // closing a file that was only read loses nothing
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return content{err: err}
	}
	return content{data: string(data)}
}
