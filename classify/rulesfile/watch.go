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

// WithInterval sets how often the file is looked at. The default is
// [DefaultInterval]; d ≤ 0 keeps it.
func WithInterval(d time.Duration) Option {
	return optionFunc(func(c config) config {
		if d > 0 {
			c.interval = d
		}
		return c
	})
}

// WithErrorFunc sets a function that is told why the file's new content is not in
// use: a fault in it is an [*Error], and a file that is gone is
// [os.ErrNotExist]. Each fault is told once. By default nobody is told. The
// function runs in the goroutine that watches.
func WithErrorFunc(f func(error)) Option {
	return optionFunc(func(c config) config {
		c.onError = f
		return c
	})
}

// WithLoadFunc sets a function that is called whenever new rules are in use, with
// those of the file. It is not called for the first ones. By default there is
// none. The function runs in the goroutine that watches.
func WithLoadFunc(f func([]classify.Rule)) Option {
	return optionFunc(func(c config) config {
		c.onLoad = f
		return c
	})
}

// WithClassifier sets the options of the classifier, such as classify.WithBase.
// Rules among them take precedence over those of the file. The default is none.
func WithClassifier(opts ...classify.Option) Option {
	opts = slices.Clone(opts)
	return optionFunc(func(c config) config {
		c.options = slices.Concat(c.options, opts)
		return c
	})
}

// Watch loads the rules of the file at path and returns a classifier that uses
// them, and follows the file until ctx ends. Then it keeps its last rules. The
// classifier is used like any other, by several goroutines and packages at once;
// see [classify.Switchable]. Watch fails if the file cannot be read or has a
// fault.
//
// Watch looks at the file at intervals rather than asking the operating system
// for events, so it works on network file systems, and for files that are
// replaced: by a rename, as editors do, or through symbolic links, as Kubernetes
// does with a ConfigMap. New content is used when two looks in a row have found
// the same, so that a file that is being written is not. It takes effect between
// one and two intervals after the last change. A writer that pauses for longer
// should write another file and rename it.
//
// If new content has a fault, or the file is gone, the rules in use stay. Tell
// somebody with [WithErrorFunc].
func Watch(ctx context.Context, path string, opts ...Option) (*classify.Classifier, error) {
	w := watcher{path: path, cfg: config{interval: DefaultInterval}}
	for _, o := range opts {
		if o != nil {
			w.cfg = o.apply(w.cfg)
		}
	}
	w.used = w.look()
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

	used content  // the last content that was used, or whose fault was told
	next *content // other content, seen once
	last lastRead
}

// content is what a look at a file has found.
type content struct {
	data string
	err  error // it could not be read
}

func (c content) equal(d content) bool {
	if c.err != nil && d.err != nil {
		return c.err.Error() == d.err.Error()
	}
	return c.err == nil && d.err == nil && c.data == d.data
}

// lastRead is the last time that the file was read.
type lastRead struct {
	at    time.Time
	info  os.FileInfo // from before
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

// poll looks at the file and uses what it finds for the second time.
func (w *watcher) poll() {
	found := w.look()
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

// use compiles the rules of new content and switches to them.
func (w *watcher) use(found content) {
	c, rules, err := w.compile(found)
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

// compile returns a classifier with the rules of a content.
func (w *watcher) compile(found content) (*classify.Classifier, []classify.Rule, error) {
	if found.err != nil {
		return nil, nil, fmt.Errorf("rules file: %w", found.err)
	}
	rules, err := Load(strings.NewReader(found.data))
	if err != nil {
		return nil, nil, fmt.Errorf("rules file %s: %w", w.path, err)
	}
	c, err := classify.New(append(slices.Clip(w.cfg.options), classify.WithRules(rules...))...)
	if err != nil {
		return nil, nil, fmt.Errorf("rules file %s: %w", w.path, err)
	}
	return c, rules, nil
}

// timestamps is more than the resolution of a file's modification time, which is
// 2 s on FAT. A file may change again within it and look as it did.
const timestamps = 3 * time.Second

// look reads the file, unless it looks as when it was last read.
func (w *watcher) look() content {
	info, err := os.Stat(w.path) // follows symbolic links
	if err != nil {
		w.last = lastRead{}
		return content{err: err}
	}
	if l := w.last; l.info != nil && os.SameFile(info, l.info) && info.Size() == l.info.Size() &&
		info.ModTime().Equal(l.info.ModTime()) && l.at.Sub(info.ModTime()) > timestamps {
		return l.found
	}
	w.last = lastRead{time.Now(), info, readFile(w.path, info)}
	return w.last.found
}

// readFile reads a file, but no more of it than Load accepts.
func readFile(path string, info os.FileInfo) content {
	if !info.Mode().IsRegular() { // reading a pipe would block
		return content{err: &os.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}}
	}
	f, err := os.Open(path)
	if err != nil {
		return content{err: err}
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return content{err: err}
	}
	return content{data: string(data)}
}
