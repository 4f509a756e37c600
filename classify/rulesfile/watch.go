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
// [DefaultInterval]. If d ≤ 0, the default remains.
func WithInterval(d time.Duration) Option {
	return optionFunc(func(c config) config {
		if d > 0 {
			c.interval = d
		}
		return c
	})
}

// WithErrorFunc sets a function that Watch calls if new content cannot be used. By
// default, errors are ignored. For a fault in the file, the error wraps an [*Error].
// If the file was removed, the error wraps [os.ErrNotExist]. The function is
// called once for each fault. It runs in the goroutine that watches the file.
func WithErrorFunc(f func(error)) Option {
	return optionFunc(func(c config) config {
		c.onError = f
		return c
	})
}

// WithLoadFunc sets a function that Watch calls with the new rules after each
// change. By default, no function is called. The function is not called for the
// first rules. It runs in the goroutine that watches the file.
func WithLoadFunc(f func([]classify.Rule)) Option {
	return optionFunc(func(c config) config {
		c.onLoad = f
		return c
	})
}

// WithClassifier sets options of the classifier that Watch returns, such as
// classify.WithBase. By default there are none. Rules in these options take
// precedence over the rules of the file.
func WithClassifier(opts ...classify.Option) Option {
	opts = slices.Clone(opts)
	return optionFunc(func(c config) config {
		c.options = slices.Concat(c.options, opts)
		return c
	})
}

// Watch loads the rules of the file at path and returns a classifier. When the file
// changes, the classifier gets the new rules. When ctx ends, the classifier keeps
// its last rules. The classifier is safe for concurrent use.
//
// If the file cannot be read or has a fault, Watch returns an error. If the file
// becomes faulty later, or is removed, the classifier keeps its rules. Watch then
// calls the function of [WithErrorFunc].
//
// Watch polls the file, so it also works on network file systems. It detects that a
// rename has replaced the file, as with many editors. It detects changed symbolic
// links, as in a Kubernetes ConfigMap.
//
// New content takes effect after two checks in a row have found it. This takes one to
// two intervals after the last write. A program that pauses longer between writes
// should write another file and rename it.
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

// content is what a read of the file returned: its data or an error.
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
	info  os.FileInfo // taken before the file was read
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

// poll checks the file once. It uses new content only after two checks in a row have
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

// use compiles new content and switches to its rules. If the content has a fault,
// use reports it.
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

// mtimeResolution exceeds the resolution of modification times, which is 2 s in FAT.
const mtimeResolution = 3 * time.Second

// check returns the content of the file. It reads the file again in two cases:
//
//   - The size, identity or modification time has changed.
//   - The file was modified shortly before the last read. A later change can then have
//     the same modification time.
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
	if !info.Mode().IsRegular() { // opening a pipe would block
		return content{err: &os.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}}
	}
	f, err := os.Open(path)
	if err != nil {
		return content{err: err}
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return content{err: err}
	}
	return content{data: string(data)}
}
