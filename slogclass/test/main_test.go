package test

import (
	"errors"
	"testing"

	"go.uber.org/goleak"
)

// errRateLimit is an error with the category retryable and the reason rate_limit.
var errRateLimit = errors.New("HTTP 429 Too Many Requests")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
