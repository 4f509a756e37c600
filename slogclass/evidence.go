package slogclass

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/errclass/errclass/classify"
)

// maxSources is how many error values, and how many texts, of one record are
// tried. It bounds the work for a record with very many.
const maxSources = 4

// findings is what there is to learn from some attributes. It lives on the
// stack of one call.
type findings struct {
	cfg    *config
	errs   [maxSources]error
	texts  [maxSources]string
	nErrs  int
	nTexts int
	status int  // the first HTTP status that says something, 0 = none
	keys   keys // those of the two keys that stand at the root already
}

// look takes an attribute into account. root says that its key is written at
// the root of the record.
func (f *findings) look(a *slog.Attr, root bool) {
	switch a.Value.Kind() {
	case slog.KindAny, slog.KindLogValuer:
		// Asserted before anything is resolved: an error may have a LogValue,
		// after which it is a group of strings; and a LogValue that panics
		// resolves to an error that has nothing to do with the record.
		if err, ok := a.Value.Any().(error); ok {
			f.addError(err)
		}
	case slog.KindString:
		if f.cfg.textKeys.has(a.Key) {
			f.addText(a.Value.String())
		}
	case slog.KindInt64:
		f.addStatus(a.Key, a.Value.Int64())
	case slog.KindUint64:
		f.addStatus(a.Key, int64(min(a.Value.Uint64(), 1000)))
	case slog.KindGroup:
		members := a.Value.Group()
		if len(members) == 0 {
			return // handlers leave empty groups out, and their keys with them
		}
		inline := root && a.Key == "" // a group without a name belongs to what is around it
		for i := range members {
			f.look(&members[i], inline)
		}
	}
	if !root {
		return
	}
	switch a.Key {
	case f.cfg.category:
		f.keys |= categoryKey
	case f.cfg.reason:
		f.keys |= reasonKey
	}
}

func (f *findings) addError(err error) {
	if f.nErrs < maxSources {
		f.errs[f.nErrs] = err
		f.nErrs++
	}
}

func (f *findings) addText(text string) {
	if text != "" && f.nTexts < maxSources {
		f.texts[f.nTexts] = text
		f.nTexts++
	}
}

// addStatus takes an integer attribute into account. One that is named status
// may be anything, an exit status for example; below 400 it says nothing.
func (f *findings) addStatus(key string, n int64) {
	if f.status != 0 || n < 400 || n > 599 {
		return
	}
	switch key {
	case "status", "status_code", "http.response.status_code":
		f.status = int(n)
	}
}

// given is the evidence in the attributes of Logger.With. It is immutable.
type given struct {
	errs   []error
	texts  []string
	status int
}

// with returns g with what was found in the attributes of a later call, which
// counts before what g has. g may be nil, and nil is nothing.
func (g *given) with(f *findings) *given {
	if f.nErrs == 0 && f.nTexts == 0 && f.status == 0 {
		return g
	}
	f.add(g)
	return &given{
		errs:   slices.Clone(f.errs[:f.nErrs]),
		texts:  slices.Clone(f.texts[:f.nTexts]),
		status: f.status,
	}
}

// add takes g into account, after what was found so far.
func (f *findings) add(g *given) {
	if g == nil {
		return
	}
	for _, err := range g.errs {
		f.addError(err)
	}
	for _, text := range g.texts {
		f.addText(text)
	}
	if f.status == 0 {
		f.status = g.status
	}
}

// classify puts into res what the record means that f was found in. Through the
// classifier it calls methods of the errors; whatever those do, the record is
// still written.
func (h *Handler) classify(ctx context.Context, message string, f *findings, res *classify.Result) {
	done := false
	defer func() {
		if !done && recover() != nil { // asking costs more than looking
			*res = h.cfg.classifier.Message("")
		}
	}()
	f.add(h.given)
	h.decide(ctx, message, f, res)
	done = true
}

// decide tries the sources one after the other.
func (h *Handler) decide(ctx context.Context, message string, f *findings, res *classify.Result) {
	e := classify.Evidence{Status: f.status}
	if ctx != context.Background() { // which never ends
		e.Cause = cause(ctx)
	}
	for _, err := range f.errs[:f.nErrs] {
		e.Err = err
		if h.decides(&e, res) {
			return
		}
	}
	e.Err = nil
	for _, text := range f.texts[:f.nTexts] {
		e.Message = text
		if h.decides(&e, res) {
			return
		}
	}
	e.Message = message
	if !h.decides(&e, res) && res.Category == "" {
		*res = h.cfg.classifier.Message("") // a record without an error, a text or a message
	}
}

// decides classifies one source. It reports whether that is the record's
// result, and puts it into res. Where no source decides, the first one's
// result stays there.
func (h *Handler) decides(e *classify.Evidence, res *classify.Result) bool {
	if res.Category == "" {
		*res = h.cfg.classifier.Classify(*e)
		return res.Category != "" && res.Reason != classify.ReasonUnknown
	}
	r := h.cfg.classifier.Classify(*e)
	if r.Category == "" || r.Reason == classify.ReasonUnknown {
		return false
	}
	*res = r
	return true
}

// cause is why ctx has ended, nil where it has not. A context may be the
// caller's own type: where it panics, nothing is known about it.
func cause(ctx context.Context) (ended error) {
	if ctx == nil {
		return nil
	}
	defer func() { _ = recover() }()
	err := ctx.Err()
	if err == nil {
		return nil
	}
	if c := context.Cause(ctx); c != nil && c != err {
		// The caller's own error, and what it was: a deadline or a cancellation.
		return errors.Join(c, err)
	}
	return err
}
