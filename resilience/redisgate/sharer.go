package redisgate

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/errclass/errclass/resilience"
)

// Sharer shares the circuit breakers and rate limits of one executor with other
// processes. It uses a Redis or Valkey server. [New] returns a Sharer. A Sharer is
// safe for concurrent use. Close ends its goroutines.
type Sharer struct {
	client redis.UniversalClient
	prefix string
	peer   string // identifies this process
	memory memory
	out    chan resilience.GateChange // changes to be sent
	wake   chan struct{}              // receives a value when a lease must be renewed

	up    atomic.Bool // the server answers, and this process receives changes
	ctx   context.Context
	close context.CancelFunc
	loops sync.WaitGroup

	mu       sync.Mutex
	receiver resilience.Receiver
	down     error                   // why the server cannot be reached, or nil
	session  context.CancelCauseFunc // ends the current subscription
	leases   map[string]time.Time    // id of a gate -> time when the renewals of the lease end
}

var _ resilience.Sharer = (*Sharer)(nil)

// Option configures a [Sharer].
type Option interface{ apply(*Sharer) }

type option func(*Sharer)

func (o option) apply(s *Sharer) { o(s) }

// DefaultPrefix is the default prefix of the keys and of the channel. [WithPrefix]
// sets another prefix.
const DefaultPrefix = "errclass"

// WithPrefix sets the prefix of the keys and of the channel. The default is
// [DefaultPrefix]. An empty prefix changes nothing. Braces are removed from the
// prefix. Processes with the same prefix share their gates.
func WithPrefix(prefix string) Option {
	return option(func(s *Sharer) {
		if prefix = strings.NewReplacer("{", "", "}", "").Replace(prefix); prefix != "" {
			s.prefix = "{" + prefix + "}:"
		}
	})
}

const (
	// startTimeout limits how long New waits for the server.
	startTimeout = time.Second
	// commandTimeout limits the time of a Redis command. After that time, the server
	// counts as unreachable.
	commandTimeout = time.Second
	// leaseTime is the TTL of the lease of a trial. The lease is renewed after each
	// third of leaseTime.
	leaseTime = 5 * time.Second
	// queueLength limits the number of changes that wait to be sent.
	queueLength = 1024
	// shortestPause is the first pause before another subscription. Each further
	// pause doubles, but no pause exceeds longestPause.
	shortestPause, longestPause = 100 * time.Millisecond, 5 * time.Second
	// pingAfter is how long the Sharer waits for a message before it sends a ping.
	// The Sharer then waits equally long for the answer.
	pingAfter = 2 * time.Second
)

// errAway is the error of Claim if the server cannot be reached.
var errAway = errors.New("redisgate: the server is away")

// New returns a Sharer that uses a client. The Sharer first reads the current state
// of the gates from the server. New waits for this at most one second, and at most
// until ctx ends. If the server cannot be reached, New returns no error, and the
// Sharer keeps trying. If client is nil, New returns an error. Close the Sharer
// before the client.
//
// Set ContextTimeoutEnabled in the options of the client. Without this option, a
// command to a hanging server blocks a goroutine until the client's own timeout.
func New(ctx context.Context, client redis.UniversalClient, opts ...Option) (*Sharer, error) {
	if client == nil {
		return nil, errors.New("redisgate: no client")
	}
	s := &Sharer{
		client: client, prefix: "{" + DefaultPrefix + "}:", peer: rand.Text(),
		memory: memory{states: map[stateKey]state{}}, out: make(chan resilience.GateChange, queueLength),
		wake: make(chan struct{}, 1), leases: map[string]time.Time{},
	}
	for _, o := range opts {
		if o != nil {
			o.apply(s)
		}
	}
	s.ctx, s.close = context.WithCancel(context.Background())
	started := make(chan struct{})
	s.loops.Go(func() { s.listen(sync.OnceFunc(func() { close(started) })) })
	s.loops.Go(s.send)
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	select {
	case <-started:
	case <-ctx.Done():
	}
	return s, nil
}

// Close stops the sharing. The executor continues without sharing. The error is nil.
func (s *Sharer) Close() error {
	s.up.Store(false)
	s.close()
	s.loops.Wait()
	return nil
}

// Attach implements [resilience.Sharer].
func (s *Sharer) Attach(r resilience.Receiver) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.receiver = r
	if s.down != nil {
		r.Away(s.down)
	}
}

// Current implements [resilience.Sharer].
func (s *Sharer) Current(gate string) []resilience.GateChange { return s.memory.current(gate) }

// Publish implements [resilience.Sharer].
func (s *Sharer) Publish(c resilience.GateChange) {
	if c.Kind != resilience.GateHeld {
		s.mu.Lock()
		delete(s.leases, c.Gate)
		s.mu.Unlock()
	}
	if !s.up.Load() {
		return
	}
	select {
	case s.out <- c:
	default: // the server is slow: drop the change
	}
}

// Claim implements [resilience.Sharer].
func (s *Sharer) Claim(ctx context.Context, gate string, lease time.Duration) (time.Duration, error) {
	if !s.up.Load() {
		return 0, errAway
	}
	left, err := s.claim(ctx, gate, lease)
	if err != nil {
		return 0, err
	}
	if left > 0 {
		return time.Duration(left) * time.Millisecond, nil
	}
	s.mu.Lock()
	s.leases[gate] = time.Now().Add(lease)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return 0, nil
}

// claim asks the server for a lease. If another process has the lease, left is the
// remaining time of that lease. claim returns when ctx ends. The Redis command may still
// run then, because the server has commandTimeout to answer each command.
func (s *Sharer) claim(ctx context.Context, gate string, lease time.Duration) (left int64, err error) {
	lefts, errs := make(chan int64, 1), make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(s.ctx, commandTimeout)
		defer cancel()
		errs <- s.do(ctx, func(ctx context.Context) error {
			left, err := claimScript.Run(ctx, s.client, []string{s.key("trial:", gate)}, s.peer, min(lease, leaseTime).Milliseconds(), lease.Milliseconds()).Int64()
			if err == nil {
				lefts <- left
			}
			return err
		})
	}()
	select {
	case err := <-errs:
		if err != nil {
			return 0, err
		}
		return <-lefts, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (s *Sharer) key(kind, gate string) string { return s.prefix + kind + gate }

func (s *Sharer) channel() string { return s.prefix + "changes" }

// do calls f, which runs Redis commands. When ctx ends, do returns, even if f still
// runs. If the server does not answer, do ends the subscription.
func (s *Sharer) do(ctx context.Context, f func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err == nil || s.ctx.Err() != nil {
		return err
	}
	if answered, ok := errors.AsType[redis.Error](err); ok {
		s.report().Ignored(fmt.Errorf("redisgate: the server refuses a command: %w", answered))
		return err
	}
	s.up.Store(false) // first, because a new subscription sets it to true
	s.mu.Lock()
	end := s.session
	s.mu.Unlock()
	if end != nil {
		end(err)
	}
	return err
}

// report returns the receiver of events.
func (s *Sharer) report() resilience.Receiver {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.receiver
}

// send sends the queued changes and renews the leases until Close.
func (s *Sharer) send() {
	var ticker *time.Ticker
	var tick <-chan time.Time // nil without a lease
	for {
		select {
		case <-s.ctx.Done():
			return
		case c := <-s.out:
			s.sendChange(c)
		case <-s.wake:
			if ticker == nil {
				ticker = time.NewTicker(leaseTime / 3)
				tick = ticker.C
			}
		case <-tick:
			if !s.renew() {
				ticker.Stop()
				ticker, tick = nil, nil
			}
		}
	}
}

// sendChange runs the script that stores a change on the server and publishes it.
func (s *Sharer) sendChange(c resilience.GateChange) {
	text, err := encode(s.peer, c)
	if err != nil || !s.up.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, commandTimeout)
	defer cancel()
	_ = s.do(ctx, func(ctx context.Context) error { // do reports the error
		index, lease := s.prefix+"index", s.key("trial:", c.Gate)
		switch c.Kind {
		case resilience.GateHeld:
			return heldScript.Run(ctx, s.client, []string{s.key("hold:", c.Gate), index}, text, up(c.Hold), s.channel(), "hold:"+c.Gate).Err()
		case resilience.GateOpened:
			first := 0
			if c.FailedTrials == 0 {
				first = 1
			}
			return openedScript.Run(ctx, s.client, []string{s.key("open:", c.Gate), index, lease},
				text, up(life(c)), s.channel(), "open:"+c.Gate, up(c.NextTrial), first, s.peer).Err()
		case resilience.GateClosed:
			return closedScript.Run(ctx, s.client, []string{s.key("open:", c.Gate), index, lease}, text, s.channel(), "open:"+c.Gate).Err()
		case resilience.GateReleased:
			return releasedScript.Run(ctx, s.client, []string{lease}, text, s.channel(), s.peer).Err()
		}
		return nil
	})
}

// renew renews the leases of the trials in this process. If there are no such
// trials, it returns false.
func (s *Sharer) renew() bool {
	now := time.Now()
	var gates []string
	s.mu.Lock()
	for gate, until := range s.leases {
		if now.After(until) {
			delete(s.leases, gate)
			continue
		}
		gates = append(gates, gate)
	}
	s.mu.Unlock()
	for _, gate := range gates {
		if !s.up.Load() {
			break
		}
		ctx, cancel := context.WithTimeout(s.ctx, commandTimeout)
		_ = s.do(ctx, func(ctx context.Context) error { // do reports the error
			return renewScript.Run(ctx, s.client, []string{s.key("trial:", gate)}, s.peer, leaseTime.Milliseconds()).Err()
		})
		cancel()
	}
	return len(gates) > 0
}
