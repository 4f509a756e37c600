// Package classify tells what an error means. [Error] classifies an error,
// [Message] a text, and [Standard].Classify everything that is known about a
// failure. Each returns a [Result] with a [Category] (what to do next) and a
// [Reason] (why):
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
//     methods that panic. It recognises errors of the standard library by type
//     and errors of SDKs by their methods and fields (a status, a code, a
//     response, a SQLSTATE). It imports no SDK.
//   - If a response's body is an error envelope (an error object in the format of a
//     provider), the envelope refines the status.
//   - All rules match a text in one pass. A number counts only if the text
//     presents it as a status or a code. If a text is long, the classifier reads only
//     its first and its last 32 KiB ([WithMaxBytes]).
//   - A specific cause beats the error that wraps it. An insufficient quota
//     beats the status 429, and an invalid API key in a body beats the status
//     500. This is the order of the evidence, strongest first: the program's own
//     spent budget ([ErrBudgetExceeded]), cancellation and deadline; the user's own
//     rules; facts, such as an errno; specific causes; codes; phrases; single words.
//     Text from a remote server never counts as the program's own deadline,
//     cancellation or budget; [Evidence] lists the fields that a remote server can
//     write.
//   - If no rule matches a text, or only rules about texts do, a small neural network
//     may decide ([WithModel]). It was trained on labelled messages. Its answer counts
//     only if the network knows enough words of the text and is surer than the rule.
//   - If nothing decides, the result is [CategoryFatal] and [ReasonUnknown], so
//     that callers do not repeat a call after an unrecognised error.
//   - Error(nil) is the zero Result.
//
// One classification reads a bounded amount of evidence. It should take at most
// 10 ms, and it allocates at most 4 MB. These limits do not cover the methods of
// the evidence, such as Error and Unwrap. The classifier reads Type first, then
// Code, the chain of Err from the outermost error inwards, the response, the text
// of Err, and Message. Each part has its own limit, so the next part is read even
// after a large one. If a part exceeds its limit, the classifier reads only the
// beginning of the part, or the beginning and the end of a text.
// [Classifier.Explain] lists what was not read.
//
// [Reason.Policy] says what follows from a reason: how often to call, and whether to
// ask another provider. [Reason.Name] returns the name that another system uses for
// the reason. [Classifier.Explain] shows the
// evidence for and against a result. docs/reasons.md describes each reason for
// the person on call; docs/faq.md describes what a result cannot tell.
//
// # Rule sets
//
// [Standard] has the broad rule set and the model, and is the default. [Minimal] has
// the twenty patterns of the original classifier and reads text alone. [None] has no
// rules. [New] adds your own rules to one of them ([WithRules]). Package rulesfile
// reads rules from a YAML file, and reloads the file when it changes. A classifier is
// safe for concurrent use, and immutable unless made with [Switchable].
//
// The package imports the standard library only and never logs. It stores no
// text, only hashes of texts that it has classified.
package classify
