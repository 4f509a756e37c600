package supervise

import "time"

// The defaults of [WithAnswerTimeout] and [WithRestarts].
const (
	DefaultAnswerTimeout = 30 * time.Second
	DefaultRestarts      = 1
)

// ServerOption configures a [Server].
type ServerOption interface {
	apply(serverConfig) serverConfig
}

// serverConfig is immutable after NewServer.
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

// WithAnswerTimeout sets the time limit for a call. The same limit applies to a
// start, including connect. If the limit is exceeded, the child is ended. The
// default is [DefaultAnswerTimeout]; 0 keeps it, and a negative limit means none.
func WithAnswerTimeout(limit time.Duration) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		c.answer = orDefault(limit, c.answer)
		return c
	})
}

// WithRestarts sets how often a server is restarted after crashes, in total. The
// default is [DefaultRestarts]; a negative number means 0.
func WithRestarts(n int) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		c.restarts = max(n, 0)
		return c
	})
}

// WithObserver adds a function that is called at every change of a server's
// status. The calls do not overlap. They run in the goroutine that starts, watches
// or stops the server. The function must return soon, because it delays a restart.
// It may call Status but must not call Stop. If it panics, the other observers are
// still called. Observers are called in the order of the options; nil is ignored.
// By default there are no observers.
func WithObserver(observe func(ServerStatus)) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		if observe != nil {
			c.observers = append(c.observers[:len(c.observers):len(c.observers)], observe)
		}
		return c
	})
}
