package resilience

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/errclass/errclass/classify"
)

// Sharer shares the gates of an [Executor] with those of other processes:
// holds by rate limits, the openings and closings of breakers, and who makes a
// trial. Package redisgate has one for Redis and Valkey. [WithSharing] sets it.
//
// A gate works on its own memory. It calls the Sharer only when it changes, and
// before a trial. If the Sharer fails, each process goes on by itself.
//
// One Sharer belongs to one Executor. All methods must be safe for concurrent
// use. Publish and Current are called with locks held: they must not block, and
// must not call the [Receiver].
type Sharer interface {
	// Attach sets the receiver of the changes of other processes. [New] calls it
	// once, before any other method.
	Attach(Receiver)
	// Publish sends a change of a gate to the other processes, and keeps it for
	// those that come later. The changes of one gate come in order. If a change
	// cannot be sent soon, Publish drops it.
	Publish(GateChange)
	// Current returns the present hold and the present opening of a gate, with
	// the times that are left now. New gates begin with it. It reads memory only.
	Current(gate string) []GateChange
	// Claim asks for the lease of the next trial of a gate, which ends by itself
	// after a time. It returns 0 if this process makes the trial. If another
	// process has the lease, it returns the time after which to ask again. A
	// change that this process publishes afterwards ends the lease: [GateOpened],
	// [GateClosed] or [GateReleased]. After GateOpened, nobody gets it before
	// NextTrial is over. Claim must return when ctx ends, which is soon.
	// After an error the trial is made without a lease.
	Claim(ctx context.Context, gate string, lease time.Duration) (wait time.Duration, err error)
}

// GateChangeKind is the kind of a [GateChange].
type GateChangeKind string

// The kinds of changes.
const (
	GateHeld     GateChangeKind = "held"     // a rate limit holds the endpoint, for Hold
	GateOpened   GateChangeKind = "opened"   // the breaker has opened, or a trial has failed
	GateClosed   GateChangeKind = "closed"   // a trial has succeeded
	GateReleased GateChangeKind = "released" // this process does not make the trial that it has the lease of
)

// GateChange is a change of a gate that processes share. Its times are durations
// that count from its publication, so the clocks of the machines may differ.
type GateChange struct {
	// Gate identifies the gate of an endpoint, or of a [Target.Key] of an
	// endpoint. It has at most 256 bytes: letters, digits and punctuation, without
	// spaces and braces. The endpoint has no secrets ([Target.Name]), the key is
	// hashed.
	Gate string
	Kind GateChangeKind

	Hold         time.Duration // GateHeld: time until the hold ends
	OpenFor      time.Duration // GateOpened: time since the breaker opened
	NextTrial    time.Duration // GateOpened: time until the next trial
	FailedTrials int           // GateOpened: trials that have failed since the breaker opened

	// Cause is the failure behind the change. Only its category, reason and
	// status, and whether it has a Retry-After, are shared.
	Cause classify.Result

	// A Sharer sets the next fields in the changes that it delivers.
	Peer  string // identifies the process that published the change
	Peers int    // number of processes that share; 0 = unknown
}

// Receiver receives the changes of other processes from a [Sharer]. It is safe
// for concurrent use. The zero Receiver does nothing.
type Receiver struct{ b *Breakers }

// Apply applies a change of another process. It checks all fields, so that a
// faulty process or a stranger cannot do more harm than a faulty endpoint:
//
//   - A hold that is longer than this process allows (cooldownMs, [BreakerConfig])
//     lasts for maxHoldMs ([RetryConfig]).
//   - If a call of this process has just succeeded (quietMs), its breaker does not
//     open. It opens at the next counted failure instead.
//   - If the opening of a process was followed by a success elsewhere within 30
//     seconds, its next openings do not count for a minute. So one machine that
//     cannot reach an endpoint does not stop the others.
//
// Changes of gates that this process does not have are ignored. Calls that wait
// are let in at slightly different times in each process, spread over 10 ms for each
// process and over two seconds at most.
func (r Receiver) Apply(c GateChange) {
	if r.b == nil {
		return
	}
	g := r.b.shared(c.Gate)
	if g == nil {
		return
	}
	if err := g.apply(c); err != nil {
		r.Ignored(err)
	}
}

// Away says that changes cannot be shared at the moment. Observers receive the
// first one since the last call of Back ([KindSharing]).
func (r Receiver) Away(err error) { r.report(SharingAway, err) }

// Back says that changes are shared again. It does nothing without an Away.
func (r Receiver) Back() { r.report(SharingBack, nil) }

// Ignored says that a change could not be read. Observers receive the first one
// since the last call of Back.
func (r Receiver) Ignored(err error) { r.report(SharingIgnored, err) }

func (r Receiver) report(state string, err error) {
	if r.b != nil {
		r.b.sharing.report(state, err)
	}
}

// report emits an event of the Sharer if it is new.
func (s *sharing) report(state string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock() // held while it emits, so that the events are in order
	switch {
	case state == SharingAway && !s.away:
		s.away = true
	case state == SharingBack && s.away:
		s.away, s.ignored = false, false
	case state == SharingIgnored && !s.ignored:
		s.ignored = true
	default:
		return
	}
	s.emit(context.Background(), Event{Kind: KindSharing, To: state, Err: err})
}

// sharing is what gates need to share their changes.
type sharing struct {
	sharer Sharer
	random func() float64
	cfg    *liveConfig
	emit   func(context.Context, Event)

	byID map[string]*gate // guarded by Breakers.mu

	mu      sync.Mutex
	away    bool
	ignored bool
}

// shared returns the gate with an id, or nil.
func (b *Breakers) shared(id string) *gate {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sharing.byID[id]
}

// catchUp gives a new gate the state that other processes have published.
func (s *sharing) catchUp(g *gate) {
	for _, c := range s.sharer.Current(g.id) {
		if err := g.apply(c); err != nil {
			s.report(SharingIgnored, err)
		}
	}
}

// maxHold returns the longest wait for a hold of an endpoint.
func (s *sharing) maxHold(endpoint string) time.Duration {
	return ms(s.cfg.get().settings("", endpoint).retry.MaxHoldMs)
}

// maxIDName limits the part of a gate's id that is the endpoint.
const maxIDName = 192

// gateID returns [GateChange].Gate of a gate.
func gateID(endpoint, key string) string {
	id := url.QueryEscape(endpoint)
	if len(id) > maxIDName {
		id = id[:maxIDName] + "~" + digest(endpoint)
	}
	if key != "" {
		id += "#" + digest(endpoint+"\x00"+key)
	}
	return id
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:12])
}

var errGateChange = errors.New("shared change of a gate")

// valid returns an error for a change that no working process publishes.
func (c GateChange) valid() error {
	switch {
	case c.Kind != GateHeld && c.Kind != GateOpened && c.Kind != GateClosed && c.Kind != GateReleased:
		return fmt.Errorf("%w: unknown kind %.20q", errGateChange, c.Kind)
	case c.Hold < 0, c.OpenFor < 0, c.NextTrial < 0, c.FailedTrials < 0:
		return fmt.Errorf("%w: negative time or number", errGateChange)
	default:
		return nil
	}
}
