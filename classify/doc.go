// Package classify tells what an error means. [Error] classifies an error, and [Message]
// a text. [Standard].Classify reads everything that is known about a failure. All three
// return a [Result] with a [Category] (what to do next) and a [Reason] (why):
//
//	if res := classify.Error(err); res.Retryable() {
//		time.Sleep(res.RetryAfter) // how long the provider asks to wait, 0 if unknown
//	}
//
// Data flow:
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
//   - The classifier follows the chain of Err through Unwrap() error and
//     Unwrap() []error to a bounded depth. It survives cycles, nil pointers and
//     methods that panic. It recognises errors of the standard library by type.
//     It recognises errors of SDKs by their methods and fields, and imports no SDK.
//   - A response's body may be an error envelope: an error object in the format of a
//     provider. The envelope refines the status.
//   - All rules match a text in one pass. A number counts only if the text presents
//     it as a status or a code. If a text is long, the classifier reads its first and
//     its last 32 KiB ([WithMaxBytes]).
//   - The strongest evidence decides. A specific cause is stronger than the error that
//     wraps it: an insufficient quota beats the status 429.
//   - If no rule decides, a small neural network may decide ([WithModel]). It may also
//     overrule a rule for texts.
//   - If nothing decides, the result is [CategoryFatal] and [ReasonUnknown]. Callers
//     then do not repeat the call.
//   - Error(nil) is the zero Result.
//
// This is the order of the evidence, strongest first:
//
//   - the program's own spent budget ([ErrBudgetExceeded]), cancellation and deadline
//   - the user's own rules
//   - facts, such as an errno
//   - specific causes
//   - codes
//   - phrases
//   - single words
//
// Text from a remote server never counts as the program's own deadline, cancellation
// or budget. [Evidence] lists the fields that a remote server can write.
//
// One classification should take at most 10 ms. It allocates at most 4 MB. These limits
// do not cover the methods of the errors in the evidence, such as Error and Unwrap.
//
// The classifier reads the evidence in this order: Type, Code, the chain of Err, the
// response, the text of Err, Message. Each part has its own limit. If a text exceeds its
// limit, the classifier reads the beginning and the end. If any other part exceeds its
// limit, it reads only the beginning. [Classifier.Explain] lists what was not read.
//
// [Reason.Policy] says how often to call, and whether to ask another provider.
// [Reason.Name] returns the name of the reason in another system. [Classifier.Explain]
// shows the evidence for and against a result. docs/reasons.md describes each reason
// for the person on call. docs/faq.md describes what a result cannot tell.
//
// # Rule sets
//
// [Standard] has the broad rule set and the model. It is the default. [Minimal] has the
// twenty patterns of the original classifier and reads only texts. [None] has no rules.
// [New] adds your own rules to one of them ([WithRules]). Package rulesfile reads rules
// from a YAML file, and reloads the file when it changes.
//
// A classifier is safe for concurrent use. It never changes, unless [Switchable] made
// it. The package imports the standard library only and never logs. It stores hashes
// of texts, but no text.
package classify
