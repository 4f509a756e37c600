package resilience_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/errclass/errclass/resilience"
)

// memoryServer imitates the server of package redisgate in memory. Messages arrive
// after the time latency.
type memoryServer struct {
	latency time.Duration

	mu       sync.Mutex
	away     bool
	peers    map[string]*memorySharer
	holds    map[string]memoryState
	openings map[string]memoryState
	leases   map[string]memoryLease
	claims   int // requests for a lease
	granted  int
	sent     int // changes that the server has sent to the processes
}

type memoryState struct {
	change resilience.GateChange
	at     time.Time
	until  time.Time
}

type memoryLease struct {
	peer  string
	until time.Time
}

func newMemoryServer(latency time.Duration) *memoryServer {
	return &memoryServer{
		latency: latency, peers: map[string]*memorySharer{},
		holds: map[string]memoryState{}, openings: map[string]memoryState{}, leases: map[string]memoryLease{},
	}
}

// join adds a process and returns its sharer.
func (s *memoryServer) join(name string) *memorySharer {
	m := &memorySharer{server: s, name: name}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.peers[name] = m
	return m
}

// publish stores a change and sends it to the other processes. It ignores a change
// that reports nothing new.
func (s *memoryServer) publish(c resilience.GateChange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return
	}
	now := time.Now()
	lease, leased := s.leases[c.Gate]
	free := !leased || lease.peer == c.Peer || !now.Before(lease.until)
	switch c.Kind {
	case resilience.GateHeld:
		if s.holds[c.Gate].until.Sub(now) > c.Hold-time.Second {
			return
		}
		s.holds[c.Gate] = memoryState{c, now, now.Add(c.Hold)}
	case resilience.GateOpened:
		first := c.FailedTrials == 0
		if first && now.Before(s.openings[c.Gate].until) {
			return
		}
		s.openings[c.Gate] = memoryState{c, now, now.Add(c.NextTrial + time.Minute)}
		if free || first {
			s.leases[c.Gate] = memoryLease{c.Peer, now.Add(c.NextTrial)}
		}
	case resilience.GateClosed:
		delete(s.openings, c.Gate)
		delete(s.leases, c.Gate)
	case resilience.GateReleased:
		if free {
			delete(s.leases, c.Gate)
		}
	}
	s.sent++
	c.Peers = len(s.peers)
	for name, p := range s.peers {
		if name != c.Peer {
			time.AfterFunc(s.latency, func() { p.receiver.Apply(c) })
		}
	}
}

func (s *memoryServer) claim(gate, peer string, lease time.Duration) (time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return 0, errors.New("server away")
	}
	s.claims++
	now := time.Now()
	if l, ok := s.leases[gate]; ok && l.peer != peer && now.Before(l.until) {
		return l.until.Sub(now), nil
	}
	s.granted++
	s.leases[gate] = memoryLease{peer, now.Add(lease)}
	return 0, nil
}

// memorySharer is the Sharer of one process.
type memorySharer struct {
	server   *memoryServer
	name     string
	receiver resilience.Receiver
}

var _ resilience.Sharer = (*memorySharer)(nil)

func (m *memorySharer) Attach(r resilience.Receiver) { m.receiver = r }

func (m *memorySharer) Publish(c resilience.GateChange) {
	c.Peer = m.name
	time.AfterFunc(m.server.latency, func() { m.server.publish(c) })
}

func (m *memorySharer) Claim(ctx context.Context, gate string, lease time.Duration) (time.Duration, error) {
	time.Sleep(m.server.latency + time.Duration(rand.Int64N(int64(m.server.latency)+1)))
	wait, err := m.server.claim(gate, m.name, lease)
	time.Sleep(m.server.latency)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return wait, err
}

func (m *memorySharer) Current(gate string) []resilience.GateChange {
	m.server.mu.Lock()
	defer m.server.mu.Unlock()
	var all []resilience.GateChange
	now := time.Now()
	if s, ok := m.server.holds[gate]; ok && now.Before(s.until) {
		s.change.Hold = s.until.Sub(now)
		all = append(all, s.change)
	}
	if s, ok := m.server.openings[gate]; ok && now.Before(s.until) {
		s.change.OpenFor += now.Sub(s.at)
		s.change.NextTrial = max(s.change.NextTrial-now.Sub(s.at), 0)
		all = append(all, s.change)
	}
	return all
}
