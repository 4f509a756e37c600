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

// Sharer shares the state of an [Executor]'s gates (breakers and rate limits) with
// other processes. A process shares three things: its holds (waits that rate limits
// require), the openings and closings of its breakers, and which process makes a
// trial (the call that tests an open breaker's endpoint). Package redisgate has a
// Sharer for Redis and Valkey. [WithSharing] sets the Sharer of an executor.
//
// A gate keeps its own state in memory. It calls the Sharer only when this state
// changes, and before a trial. If the Sharer fails, each process continues without
// sharing.
//
// One Sharer belongs to one Executor. All methods must be safe for concurrent use.
// The executor holds locks when it calls Publish or Current. So these two methods
// must not block, and must not call the [Receiver].
type Sharer interface {
	// Attach sets the Receiver, which gets the changes of other processes. [New]
	// calls Attach once, before any other method.
	Attach(Receiver)
	// Publish sends a change of a gate to the other processes. It also stores the
	// change for processes that start later. The executor publishes the changes of
	// one gate in their order. If a change cannot be sent soon, Publish drops the
	// change.
	Publish(GateChange)
	// Current returns the changes that describe the current hold of a gate and the
	// current opening of its breaker, with times that count from now. A new gate
	// starts with this state. Current reads only memory.
	Current(gate string) []GateChange
	// Claim asks for the lease of a gate's next trial. The argument lease is the
	// time after which the lease ends by itself. If this process gets the lease,
	// Claim returns 0, and this process makes the trial. If another process has the
	// lease, Claim returns how long to wait before the next request.
	//
	// The lease also ends when this process publishes [GateOpened], [GateClosed]
	// or [GateReleased]. After GateOpened, Claim grants the next lease only after the
	// duration NextTrial. ctx ends after 100 ms, and Claim must return then. If Claim
	// returns an error, the executor makes the trial without a lease.
	Claim(ctx context.Context, gate string, lease time.Duration) (wait time.Duration, err error)
}

// GateChangeKind says what has changed in a [GateChange]: for example "held".
type GateChangeKind string

// These are the kinds of changes.
const (
	GateHeld     GateChangeKind = "held"     // a rate limit holds the endpoint, for Hold
	GateOpened   GateChangeKind = "opened"   // the breaker has opened, or a trial has failed
	GateClosed   GateChangeKind = "closed"   // a trial has succeeded
	GateReleased GateChangeKind = "released" // this process has the lease, but makes no trial
)

// GateChange describes a change of a gate to other processes. Its times are
// durations that count from its publication, so the clocks of the machines may
// differ.
type GateChange struct {
	// Gate identifies the gate of an endpoint, or the gate of one [Target.Key] of
	// an endpoint. It has at most 256 bytes: letters, digits and punctuation, but
	// no spaces and no braces. It contains no secrets: the endpoint is a
	// [Target.Name], and the key is hashed.
	Gate string
	Kind GateChangeKind

	Hold         time.Duration // GateHeld: time until the hold ends
	OpenFor      time.Duration // GateOpened: time since the breaker opened
	NextTrial    time.Duration // GateOpened: time until the next trial
	FailedTrials int           // GateOpened: trials that have failed since the breaker opened

	// Cause is the failure that caused the change. Processes share only the
	// category, the reason and the status of the failure, and whether it has a
	// Retry-After.
	Cause classify.Result

	// The Sharer sets the next two fields when it delivers a change.
	Peer  string // identifies the process that published the change
	Peers int    // number of processes that share; 0 = unknown
}

// Receiver gets changes from a [Sharer] and applies them to the gates of an
// executor. A gate controls the calls to one endpoint ([Breakers]). For example, a
// [GateChange] reports that another process has opened its breaker for the endpoint.
// A Receiver is safe for concurrent use. The zero Receiver does nothing.
type Receiver struct{ b *Breakers }

// Apply applies a change that another process has made to its own gate. It
// changes this process's gate of the same endpoint. Apply checks all fields. So a
// faulty or unknown process cannot do more harm than a faulty endpoint:
//
//   - If a hold is longer than cooldownMs ([BreakerConfig]), this process holds the
//     endpoint for maxHoldMs ([RetryConfig]), and for cooldownMs at most.
//   - If a call of this process has just succeeded (quietMs), the breaker of this
//     process opens at its next counted failure, and not at once.
//   - If process A reports an opening, and a call of process B succeeds within 30
//     seconds, further openings that A reports are ignored for a minute. So one
//     machine that cannot reach an endpoint does not stop the other machines.
//
// Apply ignores a change if this process does not have the gate. When calls may
// start again, each process lets its waiting calls in at a slightly different
// time. These times are spread over a period of 10 ms times the number of
// processes, up to two seconds.
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

// Away reports that the Sharer cannot share changes at the moment. Observers
// receive an event ([KindSharing]) for the first call of Away, and for the first
// one after each Back.
func (r Receiver) Away(err error) { r.report(SharingAway, err) }

// Back reports that the Sharer shares changes again. Without an earlier call of
// Away, Back does nothing.
func (r Receiver) Back() { r.report(SharingBack, nil) }

// Ignored reports that the Sharer could not read a change. Observers receive an
// event for the first call of Ignored, and for the first one after each Back that
// follows an Away.
func (r Receiver) Ignored(err error) { r.report(SharingIgnored, err) }

func (r Receiver) report(state string, err error) {
	if r.b != nil {
		r.b.sharing.report(state, err)
	}
}

// report emits an event if the state has changed. It also emits one for the first
// ignored change.
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

// sharing connects the gates of an executor with its Sharer.
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

// shared returns the gate whose [GateChange].Gate is id. It returns nil if there is
// none.
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

// maxHold returns how long a rate limit may hold an endpoint in this process.
func (s *sharing) maxHold(endpoint string) time.Duration {
	return ms(s.cfg.get().settings("", endpoint).retry.MaxHoldMs)
}

// maxIDName is the largest number of bytes of an escaped endpoint in a gate's id. If
// the escaped endpoint is longer, gateID cuts it off and adds a hash.
const maxIDName = 192

// gateID returns the id of a gate, which is the field Gate of a [GateChange]: the
// escaped endpoint and, if the gate has a key, "#" and a hash of endpoint and key.
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

// valid returns an error for a change that no correct process would publish.
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
