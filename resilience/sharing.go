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

// Sharer shares the state of an [Executor]'s gates with other processes. A gate is
// the breaker and the rate limit of one endpoint. [WithSharing] sets the Sharer of
// an executor. Package redisgate has a Sharer for Redis and Valkey. Three things are
// shared:
//
//   - how long rate limits stop calls
//   - when breakers open and close
//   - which process makes a trial, the call that tests an open breaker's endpoint
//
// A gate keeps its own state in memory. The Sharer is called only when this state
// changes, and before a trial. If the Sharer fails, each process continues without
// sharing.
//
// One Sharer belongs to one Executor. All methods must be safe for concurrent use.
// Publish and Current must not block, and must not call the [Receiver]. They are
// called while the executor has locked a mutex.
type Sharer interface {
	// Attach sets the Receiver, which gets the changes of other processes. [New]
	// calls Attach once, before any other method.
	Attach(Receiver)
	// Publish sends a change of a gate to the other processes. It also stores the
	// change for processes that start later. The changes of one gate are published
	// in order. If a change cannot be sent soon, Publish drops it.
	Publish(GateChange)
	// Current returns the changes that are still in effect. They give a new gate its
	// state: the current rate limit, and whether the breaker is open. The durations in
	// these changes count from now. Current reads only memory.
	Current(gate string) []GateChange
	// Claim asks for the lease of a gate's next trial. If this process gets the
	// lease, Claim returns 0, and this process makes the trial. If another process
	// has the lease, Claim returns how long to wait before asking again. If Claim
	// returns an error, the trial is made without a lease. ctx ends after 100 ms.
	// Claim must then return.
	//
	// The lease ends by itself after the duration lease. It also ends when this
	// process publishes [GateOpened], [GateClosed] or [GateReleased]. After a
	// GateOpened, no lease is granted until its NextTrial has passed.
	Claim(ctx context.Context, gate string, lease time.Duration) (wait time.Duration, err error)
}

// GateChangeKind says what has changed, for example "held".
type GateChangeKind string

// These are the kinds of changes.
const (
	GateHeld     GateChangeKind = "held"     // a rate limit stops calls, for the duration Hold
	GateOpened   GateChangeKind = "opened"   // the breaker has opened, or a trial has failed
	GateClosed   GateChangeKind = "closed"   // a trial has succeeded
	GateReleased GateChangeKind = "released" // this process has the lease, but makes no trial
)

// GateChange describes a change of a gate to other processes. All times are
// durations that count from the publication. So the clocks of the machines can
// differ.
type GateChange struct {
	// Gate identifies the gate of an endpoint, or of one [Target.Key] of an
	// endpoint. It has at most 256 bytes: letters, digits and punctuation. It has no
	// spaces and no braces. It contains no secrets: the endpoint is a [Target.Name],
	// the key is hashed.
	Gate string
	Kind GateChangeKind

	Hold         time.Duration // GateHeld: time until the hold ends
	OpenFor      time.Duration // GateOpened: time since the breaker opened
	NextTrial    time.Duration // GateOpened: time until the next trial
	FailedTrials int           // GateOpened: trials that have failed since the breaker opened

	// Cause is the failure that caused the change. Four things of the failure are
	// shared: its category, its reason, its status, and whether it has a Retry-After.
	Cause classify.Result

	// The Sharer sets the next two fields when it delivers a change.
	Peer  string // identifies the process that published the change
	Peers int    // number of processes that share; 0 = unknown
}

// Receiver gets changes from a [Sharer] and applies them to the gates of an
// executor. For example, a [GateChange] reports that a breaker of another process
// has opened. A Receiver is safe for concurrent use. The zero Receiver does nothing.
type Receiver struct{ b *Breakers }

// Apply applies a change by another process to the same gate of this process. If
// this process does not have the gate, the change is ignored. All fields are
// checked, so a faulty process does limited harm:
//
//   - If a rate limit is longer than cooldownMs ([BreakerConfig]), it is shortened to
//     cooldownMs or to maxHoldMs ([RetryConfig]), whichever is shorter.
//   - If a call of this process has succeeded within the last quietMs, the breaker
//     stays closed until the next failure that this process counts.
//   - If process A reports an opening and a call of another process succeeds within
//     bridgeMs, the report counts as wrong. Further openings that A reports are then
//     ignored for a minute.
//
// When calls are allowed again, each process begins at a slightly different time.
// These times are spread over 10 ms times the number of processes, two seconds at
// most.
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

// Away reports that the Sharer cannot share changes at the moment. Observers receive
// an event of [KindSharing] for the first call of Away. After each call of Back, the
// next call of Away counts as the first.
func (r Receiver) Away(err error) { r.report(SharingAway, err) }

// Back reports that the Sharer shares changes again. Without an earlier call of
// Away, it does nothing.
func (r Receiver) Back() { r.report(SharingBack, nil) }

// Ignored reports that the Sharer could not read a change. Observers receive an
// event for the first call of Ignored. After a call of Away and a later call of Back,
// the next call of Ignored counts as the first.
func (r Receiver) Ignored(err error) { r.report(SharingIgnored, err) }

func (r Receiver) report(state string, err error) {
	if r.b != nil {
		r.b.sharing.report(state, err)
	}
}

// report emits an event if the state has changed, and for the first ignored change.
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

// shared returns the gate with this id, or nil.
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

// maxHold returns how long a rate limit can stop calls to an endpoint.
func (s *sharing) maxHold(endpoint string) time.Duration {
	return ms(s.cfg.get().settings("", endpoint).retry.MaxHoldMs)
}

// maxIDName is the largest number of bytes of an escaped endpoint in a gate's id.
const maxIDName = 192

// gateID returns the id of a gate. It has two parts:
//
//   - the escaped endpoint; if it is too long, it is cut and a hash is added
//   - if there is a key: "#" and a hash of the endpoint and the key
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
