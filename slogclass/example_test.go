package slogclass_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"

	slogmulti "github.com/samber/slog-multi"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/slogclass"
)

// plain returns a handler that writes JSON without the time to standard output.
func plain() slog.Handler {
	return slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: dropTime})
}

func Example() {
	logger := slog.New(slogclass.New(plain()))

	logger.Info("asking", "model", "m-1")
	logger.Error("completion failed", "err", errors.New("status code: 429, too many requests"))
	// Output:
	// {"level":"INFO","msg":"asking","model":"m-1"}
	// {"level":"ERROR","msg":"completion failed","error.category":"retryable","error.reason":"rate_limit","err":"status code: 429, too many requests"}
}

// The two keys are at the root of the line, even if groups are open.
func ExampleNew() {
	logger := slog.New(slogclass.New(plain())).WithGroup("upstream").With("host", "api.example.com")

	logger.Error("request failed", "status", 401)
	slog.New(slogclass.New(plain())).Error("request failed", "status", 401, "error.reason", "vault_sealed")
	// Output:
	// {"level":"ERROR","msg":"request failed","error.category":"fatal","error.reason":"authentication","upstream":{"host":"api.example.com","status":401}}
	// {"level":"ERROR","msg":"request failed","error.category":"fatal","status":401,"error.reason":"vault_sealed"}
}

// A router that comes after the middleware can route records by their category.
func ExampleMiddleware() {
	var pager strings.Builder
	isFatal := func(_ context.Context, r slog.Record) bool {
		fatal := false
		r.Attrs(func(a slog.Attr) bool {
			fatal = fatal || a.Key == slogclass.CategoryKey && a.Value.String() == "fatal"
			return true
		})
		return fatal
	}
	toPager := slog.NewTextHandler(&pager, &slog.HandlerOptions{ReplaceAttr: dropTime})
	logger := slog.New(slogmulti.
		Pipe(slogclass.Middleware()).
		Handler(slogmulti.Router().Add(toPager, isFatal).Handler()))

	logger.Error("request failed", "status", 429)
	logger.Error("request failed", "status", 401)
	fmt.Print(pager.String())
	// Output:
	// level=ERROR msg="request failed" error.category=fatal error.reason=authentication status=401
}

func ExampleHandler_Enabled() {
	h := slogclass.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelWarn}))

	fmt.Println(h.Enabled(context.Background(), slog.LevelInfo))
	// Output: false
}

func ExampleHandler_Handle() {
	h := slogclass.New(plain())
	var r slog.Record
	r.Level, r.Message = slog.LevelError, "upstream: too many requests"

	if err := h.Handle(context.Background(), r); err != nil {
		fmt.Println(err)
	}
	// Output: {"level":"ERROR","msg":"upstream: too many requests","error.category":"retryable","error.reason":"rate_limit"}
}

// Errors that were given to Logger.With are classified after the errors of the
// record itself.
func ExampleHandler_WithAttrs() {
	h := slogclass.New(plain()).WithAttrs([]slog.Attr{slog.Any("err", errors.New("HTTP 401"))})

	slog.New(h.WithGroup("call")).Error("giving up")
	// Output: {"level":"ERROR","msg":"giving up","err":"HTTP 401","error.category":"fatal","error.reason":"authentication"}
}

func ExampleHandler_WithGroup() {
	h := slogclass.New(plain()).WithGroup("call")

	slog.New(h).Error("giving up", "err", errors.New("HTTP 401"))
	// Output: {"level":"ERROR","msg":"giving up","error.category":"fatal","error.reason":"authentication","call":{"err":"HTTP 401"}}
}

func ExampleWithLevel() {
	logger := slog.New(slogclass.New(plain(), slogclass.WithLevel(slog.LevelWarn)))

	logger.Warn("trying again", "status", 429)
	// Output: {"level":"WARN","msg":"trying again","error.category":"retryable","error.reason":"rate_limit","status":429}
}

func ExampleWithKeys() {
	logger := slog.New(slogclass.New(plain(), slogclass.WithKeys("app.category", "app.reason")))

	logger.Error("request failed", "status", 429)
	// Output: {"level":"ERROR","msg":"request failed","app.category":"retryable","app.reason":"rate_limit","status":429}
}

func ExampleWithDetails() {
	logger := slog.New(slogclass.New(plain(), slogclass.WithDetails()))

	logger.Error("request failed", "err", errors.New("429 Too Many Requests, try again in 1.5s"))
	// Output: {"level":"ERROR","msg":"request failed","error.category":"retryable","error.reason":"rate_limit","error.rule":"http/429","error.confidence":0.95,"error.retry_after_ms":1500,"err":"429 Too Many Requests, try again in 1.5s"}
}

// Both records have the same fingerprint, because only the address differs.
func ExampleWithFingerprint() {
	logger := slog.New(slogclass.New(plain(), slogclass.WithFingerprint()))

	logger.Error("query failed", "err", errors.New("dial tcp 10.0.0.7:5432: connection refused"))
	logger.Error("query failed", "err", errors.New("dial tcp 10.0.0.9:5433: connection refused"))
	// Output:
	// {"level":"ERROR","msg":"query failed","error.category":"retryable","error.reason":"network","error.fingerprint":"5bac57abcfb484f5","err":"dial tcp 10.0.0.7:5432: connection refused"}
	// {"level":"ERROR","msg":"query failed","error.category":"retryable","error.reason":"network","error.fingerprint":"5bac57abcfb484f5","err":"dial tcp 10.0.0.9:5433: connection refused"}
}

// An attribute with an []error is read as errors.Join of its errors.
func ExampleNew_severalErrors() {
	logger := slog.New(slogclass.New(plain()))

	logger.Error("two shards failed", "errs", []error{errors.New("shard 3 is gone"), syscall.ECONNREFUSED})
	// Output: {"level":"ERROR","msg":"two shards failed","error.category":"retryable","error.reason":"network","errs":[{},111]}
}

func ExampleWithTextKeys() {
	logger := slog.New(slogclass.New(plain(), slogclass.WithTextKeys("problem")))

	logger.Error("request failed", "problem", "too many requests")
	// Output: {"level":"ERROR","msg":"request failed","error.category":"retryable","error.reason":"rate_limit","problem":"too many requests"}
}

// The classifier has a rule for a message of the program.
func ExampleWithClassifier() {
	own, err := classify.New(classify.WithRules(classify.Rule{
		ID: "shop/sold-out", Reason: classify.ReasonInvalidRequest, Pattern: `sold out`,
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	logger := slog.New(slogclass.New(plain(), slogclass.WithClassifier(own)))

	logger.Error("order refused", "err", errors.New("article 7 is sold out"))
	// Output: {"level":"ERROR","msg":"order refused","error.category":"fatal","error.reason":"invalid_request","err":"article 7 is sold out"}
}

// The observer counts errors by reason.
func ExampleWithObserver() {
	counts := map[classify.Reason]int{} // use a lock if several goroutines log
	logger := slog.New(slogclass.New(slog.NewTextHandler(io.Discard, nil),
		slogclass.WithObserver(func(_ context.Context, _ slog.Record, res classify.Result) {
			counts[res.Reason]++
		})))

	logger.Error("request failed", "status", 429)
	logger.Error("request failed", "status", 429)
	fmt.Println(counts)
	// Output: map[rate_limit:2]
}
