package slogclass

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/attrkey"
	"github.com/errclass/errclass/internal/bound"
	"github.com/errclass/errclass/internal/precedence"
)

// maxSources is the maximum number of errors, and of texts, read for a record.
const maxSources = 4

// maxJoined is the maximum number of errors read from an []error, like in package
// classify.
const maxJoined = 256

// findings has what the attributes and the context of a record say about the error.
type findings struct {
	cfg    *config
	errs   [maxSources]error
	texts  [maxSources]string
	nErrs  int
	nTexts int
	// decider is the index of the error, text or message that determined the result.
	// The errors are counted first, then the texts, then the message.
	decider int
	status  int         // the first HTTP status from 400 to 599, or 0
	cause   error       // why the context has ended, or nil
	keys    attrkey.Set // keys of this package that the caller has set at the root
	// unresolved is true if a LogValuer at the root may add one of the package's keys.
	unresolved bool
	members    budget
	keyMembers budget // members of groups under one of the keys
}

// budget is the number of group members visited so far in one record. The limit is
// maxMembers.
type budget int

// maxMembers is the maximum number of group members that are read from a record.
// Groups can contain the same members many times.
const maxMembers = 1 << 16

// spent counts one more member. It reports whether the limit is exceeded.
func (b *budget) spent() bool {
	*b++
	return *b > maxMembers
}

// addAttr adds to f what an attribute says about the error. root reports whether the
// attribute is outside all groups.
func (f *findings) addAttr(a *slog.Attr, root bool) {
	switch a.Value.Kind() {
	case slog.KindAny, slog.KindLogValuer:
		// Look for errors before LogValue is called, because LogValue may return
		// something other than an error.
		switch v := a.Value.Any().(type) {
		case error:
			f.addError(v)
		case []error:
			if err := errors.Join(v[:min(len(v), maxJoined)]...); err != nil {
				f.addError(err)
			}
		}
		if root && a.Value.Kind() == slog.KindLogValuer && f.cfg.mayAddKeys(a.Key) {
			f.unresolved = true
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
			return // handlers omit an empty group and its key
		}
		inline := root && a.Key == ""
		if root && !inline && f.cfg.mayAddKeys(a.Key) {
			switch writes(members, &f.keyMembers) {
			case no:
				return
			case perhaps:
				f.unresolved = true
			}
		}
		for i := range members {
			if f.members.spent() {
				if inline {
					f.keys = attrkey.All // the unread members may have them
				}
				break
			}
			f.addAttr(&members[i], inline)
		}
	}
	if root {
		f.keys |= f.cfg.names.Find(a.Key)
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

// addStatus sets f.status if key names a status and n is an HTTP error, from 400 to 599.
// It ignores other numbers, because they may be an exit status.
func (f *findings) addStatus(key string, n int64) {
	if f.status != 0 || n < 400 || n > 599 {
		return
	}
	switch key {
	case "status", "status_code", "http.response.status_code":
		f.status = int(n)
	}
}

// withEvidence has the errors, texts and status from the attributes of Logger.With. It is
// immutable. A nil withEvidence is empty.
type withEvidence struct {
	errs   []error
	texts  []string
	status int
}

// add returns a withEvidence with the contents of f, then those of w.
func (w *withEvidence) add(f *findings) *withEvidence {
	if f.nErrs == 0 && f.nTexts == 0 && f.status == 0 {
		return w
	}
	f.append(w)
	return &withEvidence{
		errs:   slices.Clone(f.errs[:f.nErrs]),
		texts:  slices.Clone(f.texts[:f.nTexts]),
		status: f.status,
	}
}

// append adds the errors, the texts and the status of w to f, after those of f.
func (f *findings) append(w *withEvidence) {
	if w == nil {
		return
	}
	for _, err := range w.errs {
		f.addError(err)
	}
	for _, text := range w.texts {
		f.addText(text)
	}
	if f.status == 0 {
		f.status = w.status
	}
}

// classify sets *res to the result for the record. Package precedence chooses
// between errors, texts and message.
func (h *Handler) classify(ctx context.Context, message string, f *findings, res *classify.Result) {
	f.append(h.with)
	if ctx != context.Background() { // Background never ends
		f.cause = classify.Cause(ctx)
	}
	rest := len(message) // bytes of all texts after the current one
	for _, text := range f.texts[:f.nTexts] {
		rest += len(text)
	}
	var limit bound.Texts
	var best classify.Result
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
			text = limit.Take(text, rest)
		}
		*res = h.classifySource(err, text, f)
		if res.Category == "" || !precedence.Replaces(res, &best) {
			continue
		}
		f.decider = i
		if precedence.Known(res) {
			return
		}
		best = *res
	}
	if *res = best; res.Category == "" {
		*res = h.cfg.classifier.Message("")
	}
}

// decisive returns the text that determined the result: see decider. For an error, this
// is the error's text. If that text cannot be read, decisive returns the message.
func (f *findings) decisive(message string) string {
	switch i := f.decider; {
	case i < f.nErrs:
		if text, ok := bound.ErrorText(f.errs[i]); ok {
			return text
		}
	case i < f.nErrs+f.nTexts:
		return f.texts[i-f.nErrs]
	}
	return message
}

// classifySource classifies an error or a text, with the status and cause in f.
func (h *Handler) classifySource(err error, text string, f *findings) classify.Result {
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
