package modelerrors_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/modelerrors"
)

func TestIsContextOverflowError(t *testing.T) {
	t.Parallel()
	overflow := &modelerrors.ContextOverflowError{Underlying: textError("x")}
	for _, tt := range []struct {
		name string
		err  error
		want bool
	}{
		{"no error", nil, false},
		{"by type", overflow, true},
		{"by type, wrapped", fmt.Errorf("all models failed: %w", overflow), true},
		{"by type, one of several", errors.Join(textError("boom"), overflow), true},
		{"by type, without an error", &modelerrors.ContextOverflowError{}, true},
		{"Anthropic, tokens", textError("prompt is too long: 226360 tokens > 200000 maximum"), true},
		{"Anthropic, 400", status(400, textError("prompt is too long: 226360 tokens > 200000 maximum")), true},
		{"Anthropic, 500", status(500, textError("prompt is too long: 226360 tokens > 200000 maximum")), true},
		{"Anthropic, thinking", textError("max_tokens must be greater than thinking.budget_tokens"), true},
		{"Anthropic, thinking, as it is sent", textError("`max_tokens` must be greater than `thinking.budget_tokens`. Please consult the documentation"), true},
		{"Anthropic, thinking, capitals", textError("MAX_TOKENS must be greater than thinking.budget_tokens"), true},
		{"OpenAI, words", textError("This model's maximum context length is 128000 tokens"), true},
		{"OpenAI, code", textError("error code: context_length_exceeded"), true},
		{"OpenAI, advice", textError("please reduce the length of the messages"), true},
		{"Google", textError("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)"), true},
		{"words", textError("input is too long for requested model"), true},
		{"too large for a model", textError("the request too large for this model was refused"), true},
		{"too large for a server", textError("413 Payload Too Large"), true},
		{"too large for a server, by status and text", status(413, textError("Payload Too Large")), true},
		{"too large for a server, by status alone", status(413, textError("refused")), false},
		{"too large, sent as a 429", status(429, textError("request too large for this model")), true},
		{"too large, sent as a 503", sdk(503, "REQUEST TOO LARGE"), true},
		{"the most tokens", textError("more than the maximum number of tokens"), true},
		{"the length", textError("reduce the length, then ask again"), true},
		{"a token limit without a verb", textError("token limit: 4096"), true},
		{"a token limit per minute", textError("your token limit per minute is 4096"), false},
		{"a token limit as TPM", textError("token limit (TPM) of the organization"), false},
		{"a token limit of a rate", status(429, textError("rate limited: token limit")), false},
		{"a token limit", textError("token limit exceeded"), true},
		{"an opaque 500", textError("500 Internal Server Error"), false},
		{"an opaque 500 by status", status(500, textError("Internal Server Error")), false},
		{"a rate limit", textError("429 too many requests"), false},
		{"a limit of tokens a minute", textError("Rate limit reached for m-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000"), false},
		{"max_tokens itself", textError("max_tokens must be greater than 0"), false},
		{"a timeout", textError("connection timeout"), false},
		{"a deadline", context.DeadlineExceeded, false},
		{"something else", textError("something went wrong"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, modelerrors.IsContextOverflowError(tt.err), "of %v", tt.err)
		})
	}
}

func TestFormatError(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		&modelerrors.ContextOverflowError{Underlying: textError("prompt is too long")},
		fmt.Errorf("outer: %w", &modelerrors.ContextOverflowError{Underlying: textError("prompt is too long")}),
		&modelerrors.ContextOverflowError{},
	} {
		got := modelerrors.FormatError(err)
		assert.Contains(t, got, "context window", "what has happened")
		assert.Contains(t, got, "/compact", "what helps")
		assert.Contains(t, got, "new session", "what helps too")
		assert.NotContains(t, got, "too long", "the provider's own words")
	}
	assert.Empty(t, modelerrors.FormatError(nil))
	assert.Equal(t, "authentication failed", modelerrors.FormatError(textError("authentication failed")))
	assert.Equal(t, "boom", modelerrors.FormatError(status(500, textError("boom"))))
	assert.Equal(t, "prompt is too long", modelerrors.FormatError(textError("prompt is too long")), "an overflow by text")
}

func TestContextOverflowError(t *testing.T) {
	t.Parallel()
	inner := textError("prompt is too long")
	err := fmt.Errorf("all models failed: %w", &modelerrors.ContextOverflowError{Underlying: inner})

	var found *modelerrors.ContextOverflowError
	assert.ErrorAs(t, err, &found)
	assert.ErrorIs(t, err, inner)
	assert.Equal(t, "context window overflow: prompt is too long", found.Error())
	assert.Equal(t, "context window overflow", (&modelerrors.ContextOverflowError{}).Error())
	assert.NoError(t, (&modelerrors.ContextOverflowError{}).Unwrap())
}
