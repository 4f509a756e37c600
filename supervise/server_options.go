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

// WithAnswerTimeout sets the time limit for a call. The limit also applies to a
// start, including the connect function of [NewServer]. The default is
// [DefaultAnswerTimeout]. 0 keeps the default, and a negative limit means no limit.
// If a call or a start takes longer, the server ends the child. [WithPing] and
// [Server.Progress] can give a call more time.
func WithAnswerTimeout(limit time.Duration) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		c.answer = orDefault(limit, c.answer)
		return c
	})
}

// WithMaxCallTime sets the total time limit for a call that reports progress. The
// default is [DefaultMaxCallTime]. 0 keeps the default, and a negative limit means
// no limit. If the time of [WithAnswerTimeout] is longer, that time applies.
func WithMaxCallTime(limit time.Duration) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		c.maxCall = orDefault(limit, c.maxCall)
		return c
	})
}

// WithPing sets a function that pings the child, such as MCP's ping. By default, and
// with nil, there is no ping. If a call gets no answer in time, the server pings the
// child. If the function then returns nil, only this call fails and the child keeps
// running.
//
// The function has five seconds. If the time of [WithAnswerTimeout] is shorter, that
// time applies. The function may run at the same time as calls. C must be the type
// of the server's client, otherwise Start fails.
func WithPing[C any](ping func(context.Context, C) error) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		c.ping = nil
		if ping != nil {
			c.ping = ping
		}
		return c
	})
}

// WithRestarts sets the largest number of restarts of a server. Only restarts within
// the time of [WithRestartWindow] count. A failed restart counts as a crash. The
// default is [DefaultRestarts]. A negative number means 0.
func WithRestarts(n int) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		c.restarts = max(n, 0)
		return c
	})
}

// WithRestartWindow sets how long a restart counts for [WithRestarts]. The default
// is [DefaultRestartWindow]. 0 keeps the default. If the window is negative, a
// restart always counts.
func WithRestartWindow(window time.Duration) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		c.window = orDefault(window, c.window)
		return c
	})
}

// WithObserver adds a function that is called at every change of a server's status.
// By default there are no observers. nil is ignored. Observers are called in the
// order of the options. The calls do not overlap. They run in the goroutine that
// starts, watches or stops the server.
//
// The function must return soon, because a restart waits for it. It may call Status,
// but must not call Stop. If the function panics, the other observers are still
// called.
func WithObserver(observe func(ServerStatus)) ServerOption {
	return serverOptionFunc(func(c serverConfig) serverConfig {
		if observe != nil {
			c.observers = append(c.observers[:len(c.observers):len(c.observers)], observe)
		}
		return c
	})
}
