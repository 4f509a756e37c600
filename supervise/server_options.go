package supervise

import (
	"context"
	"time"
)

// These are the defaults of [WithAnswerTimeout], [WithMaxCallTime], [WithRestarts]
// and [WithRestartWindow].
const (
	DefaultAnswerTimeout = 30 * time.Second
	DefaultMaxCallTime   = 10 * time.Minute
	DefaultRestarts      = 1
	DefaultRestartWindow = 10 * time.Minute
)

// ServerOption configures a [Server].
type ServerOption interface {
	apply(serverConfig) serverConfig
}

// serverConfig is immutable after NewServer.
type serverConfig struct {
	answer    time.Duration
	maxCall   time.Duration
	restarts  int
	window    time.Duration
	ping      any // a func(context.Context, C) error, or nil
	observers []func(ServerStatus)
}

func serverDefaults() serverConfig {
	return serverConfig{
		answer: DefaultAnswerTimeout, maxCall: DefaultMaxCallTime,
		restarts: DefaultRestarts, window: DefaultRestartWindow,
	}
}

type serverOptionFunc func(serverConfig) serverConfig

func (f serverOptionFunc) apply(c serverConfig) serverConfig { return f(c) }

// WithAnswerTimeout sets the time limit for a call. The same limit applies to a
// start (including the connect function of [NewServer]). If a call or a start takes
// longer, the server ends the child. [WithPing] and [Server.Progress] can give a
// call more time.
// The default is [DefaultAnswerTimeout]. 0 keeps the default, and a negative limit
// means no limit.
func WithAnswerTimeout(limit time.Duration) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		c.answer = orDefault(limit, c.answer)
		return c
	})
}

// WithMaxCallTime sets the total time limit for a call that reports progress. If the
// time of [WithAnswerTimeout] is longer, that time applies. The default is
// [DefaultMaxCallTime]; 0 keeps it, and a negative limit means none.
func WithMaxCallTime(limit time.Duration) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		c.maxCall = orDefault(limit, c.maxCall)
		return c
	})
}

// WithPing sets a function that pings the child, such as MCP's ping. If a call gets
// no answer in time, the server pings the child. If ping returns nil within five
// seconds, only that call fails and the child keeps running. If the time of
// [WithAnswerTimeout] is shorter, ping has only that time. Calls may run while ping
// runs. By default, and with nil, there is no ping. C must be the type of the
// server's client, otherwise Start fails.
func WithPing[C any](ping func(context.Context, C) error) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		c.ping = nil
		if ping != nil {
			c.ping = ping
		}
		return c
	})
}

// WithRestarts sets the largest number of restarts of a server within the time of
// [WithRestartWindow]. A restart that fails counts as a crash. The default is
// [DefaultRestarts]; a negative number means 0.
func WithRestarts(n int) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		c.restarts = max(n, 0)
		return c
	})
}

// WithRestartWindow sets how long a restart counts for [WithRestarts]. A server
// that crashes again after that time is restarted again. The default is
// [DefaultRestartWindow]; 0 keeps it. With a negative window, a restart always
// counts.
func WithRestartWindow(window time.Duration) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		c.window = orDefault(window, c.window)
		return c
	})
}

// WithObserver adds a function that is called at every change of a server's status.
// The calls do not overlap. They run in the goroutine that starts, watches or stops
// the server. The function must return soon, because a restart waits until it
// returns. The function may call Status but must not call Stop. If the function
// panics, the other observers are still called. Observers are called in the order of
// the options; nil is ignored. By default there are no observers.
func WithObserver(observe func(ServerStatus)) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		if observe != nil {
			c.observers = append(c.observers[:len(c.observers):len(c.observers)], observe)
		}
		return c
	})
}
