package supervise

import "time"

// How long a server may take, and how often it is started again, unless an option
// says otherwise.
const (
	DefaultAnswerTimeout = 30 * time.Second // for a call, and for connecting
	DefaultRestarts      = 1
)

// ServerOption configures a [Server].
type ServerOption interface {
	apply(serverConfig) serverConfig
}

// serverConfig is immutable once NewServer has returned.
type serverConfig struct {
	answer    time.Duration
	restarts  int
	observers []func(ServerStatus)
}

func serverDefaults() serverConfig {
	return serverConfig{answer: DefaultAnswerTimeout, restarts: DefaultRestarts}
}

type serverOptionFunc func(serverConfig) serverConfig

func (f serverOptionFunc) apply(c serverConfig) serverConfig { return f(c) }

// WithAnswerTimeout sets how long a call may take, and a start with its
// connecting, before the child is ended. The default is [DefaultAnswerTimeout];
// 0 keeps it, and below 0 there is no limit.
func WithAnswerTimeout(limit time.Duration) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		c.answer = orDefault(limit, c.answer)
		return c
	})
}

// WithRestarts sets how often a crashed server is started again in its life. The
// default is [DefaultRestarts]; below 0 is 0.
func WithRestarts(n int) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		c.restarts = max(n, 0)
		return c
	})
}

// WithObserver adds a function that is called with every change of a server's
// status, one call after the other, in the goroutine that starts, watches or
// stops it. While it runs the server is not started again, so it must return
// soon; it may call Status, and must not call Stop. Where it panics the others are
// called all the same. By default there is none; several are called in the order
// given, and nil is ignored.
func WithObserver(observe func(ServerStatus)) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		if observe != nil {
			c.observers = append(c.observers[:len(c.observers):len(c.observers)], observe)
		}
		return c
	})
}
