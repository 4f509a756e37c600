// Package classify says what an error means: a [Category] (what to do next)
// and a [Reason] (why). Give [Error] an error, [Message] a text, or
// [Standard].Classify all that is known about a failure; each returns a
// [Result]:
//
//	if res := classify.Error(err); res.Retryable() {
//		time.Sleep(res.RetryAfter) // the provider's own hint, 0 without one
//	}
//
// What happens to the evidence:
//
//	Err, Type, Cause ─────▶ own deadline, cancellation, budget ─┐
//	Err ──────────────────▶ types, errnos, fields of SDKs ──────┤
//	Status, Header, Body ─▶ status, error envelope ─────────────┼─▶ the strongest decides ─▶ Category, Reason, Rule
//	Type, Code ───────────▶ codes of providers ─────────────────┤
//	text of Err, Message ─▶ rules, all in one pass ─────────────┘
//	Err, Header, Body, texts ─▶ how long to wait ─────────────────────────────────────────▶ RetryAfter
//
// Step by step:
//
//   - The chain of Err is walked over Unwrap() error and Unwrap() []error, to a
//     bounded depth and under recover: cycles, nil pointers and methods that
//     panic are survived. Errors of the standard library are known by type,
//     those of SDKs by their methods and fields (a status, a code, an attached
//     response, a SQLSTATE), without importing them.
//   - A response's body is read as the error envelope of a provider, if it is
//     one. It refines what the status says.
//   - Texts are matched against all rules at once. Numbers count only where
//     they are a status or a code; the first and the last 32 KiB of a long text
//     are read ([WithMaxBytes]).
//   - A specific cause beats what it is wrapped in, whatever kind of evidence
//     it was found in: an insufficient quota beats the status 429, and an
//     invalid API key in a body beats the status 500. From the strongest down:
//     the program's own spent budget ([ErrBudgetExceeded]), cancellation and
//     deadline; the user's own rules; typed facts; specific causes; codes;
//     phrases; single words. [Evidence] lists what a peer can write: none of it
//     says that this program ended its own call.
//   - Where nothing is recognised the result is [CategoryFatal] and
//     [ReasonUnknown]: what is not understood is not repeated.
//   - No error is no answer: Error(nil) is the zero Result.
//
// One classification reads a bounded amount, whatever the evidence is: it is
// meant to take at most 10 ms, and it allocates at most 4 MB beside what the
// evidence's own methods allocate. Type is read first, then Code, the chain of
// Err from the outermost error on, the response, the text of Err, and Message.
// Each of them has a share of its own, so none can starve the next. Where one
// holds too much, its first parts are read. What is left out decides nothing,
// and [Classifier.Explain] lists it. Methods of the evidence that are slow, or
// that allocate much, cannot be bounded.
//
// What follows from a reason (how often to call, whether another provider may
// be asked, what other systems call it) stands in one table: [Reason.Policy]
// and [Reason.Name]. [Classifier.Explain] shows what spoke for and against a
// result. docs/reasons.md says what each reason means for the person on call,
// and docs/faq.md what a result does not know.
//
// # Rule sets
//
// [Standard] is the broad one and the default everywhere. [Minimal] is exactly
// the twenty patterns of the original classifier, on text alone. [New] adds
// rules of one's own ([WithRules]; package rulesfile reads them from YAML) to
// either or, with [None], uses nothing else. A classifier is immutable and safe
// for concurrent use.
//
// The package imports the standard library only, never logs, and keeps no
// text of what it reads, only hashes of texts that it has decided.
package classify
