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

// Sharer shares the gates (circuit breakers and rate limits) of one executor with
// other processes through a Redis or Valkey server. [New] returns a Sharer. A Sharer
// is safe for concurrent use. Close ends the goroutines of a Sharer.
type Sharer struct {
	client redis.UniversalClient
	prefix string
	peer   string // identifies this process
	memory memory
	out    chan resilience.GateChange // changes for the method send
	wake   chan struct{}              // tells the method send that there is a lease to renew

	up    atomic.Bool // the server answers, and this process receives changes
	ctx   context.Context
	close context.CancelFunc
	loops sync.WaitGroup

	mu       sync.Mutex
	receiver resilience.Receiver
	down     error                   // why the server cannot be reached, or nil
	session  context.CancelCauseFunc // ends the current subscription
	leases   map[string]time.Time    // gate of a running trial -> end of the renewals of the lease
}

var _ resilience.Sharer = (*Sharer)(nil)

// Option configures a [Sharer].
type Option interface{ apply(*Sharer) }

type option func(*Sharer)

func (o option) apply(s *Sharer) { o(s) }

// DefaultPrefix is the default prefix of the keys and of the channel. [WithPrefix]
// sets another prefix.
const DefaultPrefix = "errclass"

// WithPrefix sets the prefix of the keys and of the channel. Processes with the
// same prefix share their gates. The default is [DefaultPrefix]. An empty prefix
// changes nothing. WithPrefix removes braces from the prefix.
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
	// commandTimeout limits the time of a Redis command. If a command takes longer,
	// the server counts as unreachable.
	commandTimeout = time.Second
	// leaseTime is the TTL of the lease of a trial (the call that tests an endpoint).
	// The process renews the lease each time a third of leaseTime has passed.
	leaseTime = 5 * time.Second
	// queueLength limits the number of changes that wait to be sent.
	queueLength = 1024
	// After a failure, the method listen pauses before it subscribes again. The
	// first pause is shortestPause. Each further pause is twice as long, but not
	// longer than longestPause.
	shortestPause, longestPause = 100 * time.Millisecond, 5 * time.Second
	// If no message comes within pingAfter, the method receive sends a ping. If the
	// ping gets no answer within pingAfter, the server counts as unreachable.
	pingAfter = 2 * time.Second
)

// errAway is the error of Claim while the server cannot be reached.
var errAway = errors.New("redisgate: the server is away")

// New returns a Sharer that uses a client. New waits until the Sharer has read the
// current holds and openings from the server, but for a second at most, and not
// after the end of ctx. If the server cannot be reached, New returns no error, and
// the Sharer keeps trying. If client is nil, New returns an error. The caller closes
// first the Sharer, then the client.
//
// Set ContextTimeoutEnabled in the options of the client. Without this option, each
// command to a server that hangs keeps a goroutine until the client's own timeout.
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
	var left int64
	err := s.do(ctx, func(ctx context.Context) (err error) {
		left, err = claimScript.Run(ctx, s.client, []string{s.key("trial:", gate)}, s.peer, min(lease, leaseTime).Milliseconds()).Int64()
		return err
	})
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

func (s *Sharer) key(kind, gate string) string { return s.prefix + kind + gate }

func (s *Sharer) channel() string { return s.prefix + "changes" }

// do calls f, which runs Redis commands. It returns when f returns or when ctx ends,
// even if the client ignores ctx. If the server does not answer, do ends the
// subscription, and the method listen then connects again.
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
	s.up.Store(false) // before the subscription ends, because a new subscription sets it to true
	s.mu.Lock()
	end := s.session
	s.mu.Unlock()
	if end != nil {
		end(err)
	}
	return err
}

// report returns the receiver, for reporting an event to the executor.
func (s *Sharer) report() resilience.Receiver {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.receiver
}

// send sends the queued changes and renews the leases until Close.
func (s *Sharer) send() {
	var ticker *time.Ticker
	var tick <-chan time.Time // nil if there is no lease to renew
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

// renew renews the leases of the trials that run in this process. It returns false
// if there are no such trials.
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
