package supervise

import (
	"os/exec"
	"slices"

	"github.com/errclass/errclass/classify"
)

// written is a text that a child wrote. The classifier reads raw, because a masked word
// may be the cause of the failure ("fetch password: ETIMEDOUT"). Only masked leaves the
// package.
type written struct{ raw, masked string }

func (c *Command) written(raw string) written { return written{raw, c.mask(raw)} }

// first returns at most the first n bytes of both texts.
func (w written) first(n int) written {
	return written{w.raw[:min(len(w.raw), n)], w.masked[:min(len(w.masked), n)]}
}

// candidates returns the texts to classify: the error event, the last 500 characters of
// standard error, then all of it.
func candidates(event, stderr written) []written {
	last := written{lastPart(stderr.raw), lastPart(stderr.masked)}
	return slices.CompactFunc([]written{event, last, stderr}, func(a, b written) bool { return a.raw == b.raw })
}

// hide replaces the raw text in exit by the masked one. A caller who classifies the error
// again should get the category and the reason of res. again classifies it. If the masked
// text means something else, hide adds words for the reason. If it then still does, hide
// leaves the masked text out.
func (w written) hide(exit *exec.ExitError, res classify.Result, again func() classify.Result) {
	exit.Stderr = []byte(w.masked)
	if w.masked == w.raw {
		return
	}
	texts := []string{w.masked}
	if words := reasonWords[res.Reason]; words != "" {
		words = "(masked: " + words + ")"
		texts = append(texts, w.masked+"\n"+words, words)
	}
	for _, text := range append(texts, "") {
		exit.Stderr = []byte(text)
		if got := again(); got.Category == res.Category && got.Reason == res.Reason {
			return
		}
	}
	exit.Stderr = []byte(w.masked)
}

// reasonWords has words for each reason, which package classify reads as that reason. An
// exit status without a text means spawn. Nothing means unknown.
var reasonWords = map[classify.Reason]string{
	classify.ReasonRateLimit:        "rate_limit_error",
	classify.ReasonTransient:        "overloaded_error",
	classify.ReasonNetwork:          "ECONNRESET",
	classify.ReasonTimeout:          "ETIMEDOUT",
	classify.ReasonContextOverflow:  "context_length_exceeded",
	classify.ReasonAuthentication:   "authentication_error",
	classify.ReasonBudgetExceeded:   "insufficient_quota",
	classify.ReasonPolicy:           "content_policy_violation",
	classify.ReasonInvalidRequest:   "invalid_parameter",
	classify.ReasonParsing:          "unexpected end of JSON input",
	classify.ReasonNetworkPermanent: "no such host",
	classify.ReasonMCP:              "MCP error -32000",
	classify.ReasonResource:         "no space left on device",
	classify.ReasonLogic:            "nil pointer dereference",
	classify.ReasonAborted:          "operation was canceled",
}
