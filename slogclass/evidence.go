package slogclass

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/bound"
)

// maxSources is how many error values, and how many texts, of one record are
// tried. It bounds the work for a record with very many.
const maxSources = 4

// maxJoined is how many errors of an []error are read: no more of a tree are
// looked at by package classify either.
const maxJoined = 256

// findings is what there is to learn from some attributes, and from the context
// of their record. It lives on the stack of one call.
type findings struct {
	cfg    *config
	errs   [maxSources]error
	texts  [maxSources]string
	nErrs  int
	nTexts int
	status int   // the first HTTP status that says something, 0 = none
	cause  error // why the context has ended, nil = it has not
	keys   keys  // those of our keys that stand at the root already
	lazy   bool  // a LogValuer at the root may hold one of our keys
	seen   budget
	// weighed are members of groups under the two keys: is one of them written?
	weighed budget
}

// budget counts the members of groups that are looked at in one record.
type budget int

// maxMembers bounds them: groups that share their members may have more of them
// than there is memory.
const maxMembers = 1 << 16

// spent counts one more member and reports whether it is one too many.
func (b *budget) spent() bool {
	*b++
	return *b > maxMembers
}

// look takes an attribute into account. root says that its key is written at
// the root of the record.
func (f *findings) look(a *slog.Attr, root bool) {
	switch a.Value.Kind() {
	case slog.KindAny, slog.KindLogValuer:
		// Asserted before anything is resolved: an error may have a LogValue,
		// after which it is a group of strings; and a LogValue that panics
		// resolves to an error that has nothing to do with the record.
		switch v := a.Value.Any().(type) {
		case error:
			f.addError(v)
		case []error:
			if err := errors.Join(v[:min(len(v), maxJoined)]...); err != nil {
				f.addError(err)
			}
		}
		if root && a.Value.Kind() == slog.KindLogValuer && f.cfg.mayHoldKeys(a.Key) {
			f.lazy = true
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
		if root && !inline && f.cfg.mayHoldKeys(a.Key) {
			switch writes(members, &f.weighed) {
			case no:
				return
			case perhaps:
				f.lazy = true
			}
		}
		for i := range members {
			if f.seen.spent() {
				if inline {
					f.keys = allKeys // perhaps: nothing is written twice
				}
				break
			}
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
	case RuleKey:
		f.keys |= ruleKey
	case RetryAfterMSKey:
		f.keys |= retryAfterKey
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

// classify puts into res what the record means that f was found in: what the
// first source says that knows a reason, else what the first one says.
func (h *Handler) classify(ctx context.Context, message string, f *findings, res *classify.Result) {
	f.add(h.given)
	if ctx != context.Background() { // which never ends
		f.cause = cause(ctx)
	}
	rest := len(message) // of the texts that follow
	for _, text := range f.texts[:f.nTexts] {
		rest += len(text)
	}
	var read bound.Texts
	var first classify.Result
	for i := range f.nErrs + f.nTexts + 1 {
		err, text := error(nil), message
		switch {
		case i < f.nErrs:
			err, text = f.errs[i], ""
		case i < f.nErrs+f.nTexts:
			text = f.texts[i-f.nErrs]
		}
		if err == nil {
			rest -= len(text)
			text = read.Take(text, rest)
		}
		*res = h.ask(err, text, f)
		switch {
		case res.Category == "": // nothing that this classifier reads
		case res.Reason != classify.ReasonUnknown:
			return
		case first.Category == "":
			first = *res
		}
	}
	if *res = first; res.Category == "" {
		*res = h.cfg.classifier.Message("")
	}
}

// ask classifies one source, an error or a text, with what else is known.
func (h *Handler) ask(err error, text string, f *findings) classify.Result {
	switch {
	case f.status != 0 || f.cause != nil:
		return h.cfg.classifier.Classify(classify.Evidence{Err: err, Message: text, Status: f.status, Cause: f.cause})
	case err != nil:
		return h.cfg.classifier.Error(err)
	case text != "":
		return h.cfg.classifier.Message(text)
	default:
		return classify.Result{}
	}
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
