package main

import (
	"errors"
	"log/slog"
	"os"

	"github.com/errclass/errclass/slogclass"
)

func main() {
	noTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	logger := slog.New(slogclass.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: noTime})))
	logger.Error("failed", "err", errors.New("HTTP 429 Too Many Requests"))
}

// Output: level=ERROR msg=failed error.category=retryable error.reason=rate_limit err="HTTP 429 Too Many Requests"
