package redisgate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/errclass/errclass/resilience"
)

// listen receives the changes of other processes until Close.
//
//   - If the connection fails, listen connects again after a pause.
//   - After each attempt to connect and to load the states, listen calls the callback.
func (s *Sharer) listen(callback func()) {
	pause := shortestPause
	for s.ctx.Err() == nil {
		wasUp, err := s.subscribe(callback)
		s.up.Store(false)
		if s.ctx.Err() != nil {
			return
		}
		s.setDown(fmt.Errorf("redisgate: each process goes on by itself: %w", err))
		callback()
		if wasUp {
			pause = shortestPause
		}
		select {
		case <-time.After(time.Duration(float64(pause) * (0.5 + rand.Float64()))):
		case <-s.ctx.Done():
		}
		pause = min(2*pause, longestPause)
	}
}

// setDown stores and reports why the server cannot be reached.
func (s *Sharer) setDown(err error) {
	s.mu.Lock()
	s.down = err
	s.mu.Unlock()
	s.report().Away(err)
}

// subscribe receives changes until the connection fails. wasUp is true if the
// subscription and the loading of the stored states succeeded.
func (s *Sharer) subscribe(callback func()) (wasUp bool, err error) {
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	s.mu.Lock()
	s.session = cancel
	s.mu.Unlock()
	sub := s.client.Subscribe(ctx, s.channel())
	defer sub.Close()
	defer context.AfterFunc(ctx, func() { _ = sub.Close() })() // ends a read
	if _, err := sub.ReceiveTimeout(ctx, commandTimeout); err != nil {
		return false, err
	}
	if err := s.load(ctx); err != nil {
		return false, err
	}
	s.mu.Lock()
	s.down = nil
	s.mu.Unlock()
	s.up.Store(true)
	s.report().Back()
	callback()
	return true, s.receive(ctx, sub)
}

// receive delivers the messages of the channel until an error occurs. If no message
// comes for pingAfter, it sends a ping.
func (s *Sharer) receive(ctx context.Context, sub *redis.PubSub) error {
	asked := false
	for {
		received, err := sub.ReceiveTimeout(ctx, pingAfter)
		var timeout net.Error
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, &timeout) && timeout.Timeout() && !asked:
			if err := sub.Ping(ctx); err != nil {
				return err
			}
			asked = true
			continue
		case err != nil:
			return err
		}
		asked = false
		if m, ok := received.(*redis.Message); ok {
			s.deliver(m.Payload)
		}
	}
}

// deliver stores the change that a message contains. If another process sent the
// message, deliver also applies the change to its gate.
func (s *Sharer) deliver(payload string) {
	c, err := decodeSent(payload)
	if err != nil {
		s.report().Ignored(err)
		return
	}
	s.memory.put(c, 0)
	if c.Peer != s.peer {
		s.report().Apply(c)
	}
}

// loadBatch is the number of states that load reads in one round trip.
const loadBatch = 100

// load reads the stored states from the server and applies them to the gates.
func (s *Sharer) load(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*commandTimeout)
	defer cancel()
	s.memory.clear()
	members, err := indexScript.Run(ctx, s.client, []string{s.prefix + "index"}).StringSlice()
	if err != nil {
		return err
	}
	for len(members) > 0 {
		n := min(len(members), loadBatch)
		if err := s.loadStates(ctx, members[:n]); err != nil {
			return err
		}
		members = members[n:]
	}
	return nil
}

// loadStates reads and applies the states with the given names. It reads only maxText+1
// bytes of each state, because another program may have stored a huge value there.
func (s *Sharer) loadStates(ctx context.Context, members []string) error {
	texts, lefts := make([]*redis.StringCmd, len(members)), make([]*redis.DurationCmd, len(members))
	_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, m := range members {
			key := s.prefix + m[:min(len(m), maxGate+len("hold:"))]
			texts[i], lefts[i] = p.GetRange(ctx, key, 0, maxText), p.PTTL(ctx, key)
		}
		return nil
	})
	if _, answered := errors.AsType[redis.Error](err); err != nil && !answered {
		return err
	}
	for i, m := range members {
		text, err := texts[i].Result()
		if err == nil && text == "" {
			continue // the state has expired
		}
		if err != nil {
			s.report().Ignored(fmt.Errorf("%w: a state is no text", errMessage))
			continue
		}
		s.apply(m, text, lefts[i].Val())
	}
	return nil
}

// apply puts a state that was read from the server into s.memory, and applies the state
// to its gate. member is the name of the state, text its JSON, and ttl its remaining TTL.
func (s *Sharer) apply(member, text string, ttl time.Duration) {
	c, err := decode(text)
	kind, gate, _ := strings.Cut(member, ":")
	want := map[string]resilience.GateChangeKind{"hold": resilience.GateHeld, "open": resilience.GateOpened}[kind]
	switch {
	case err != nil:
	case c.Gate != gate || c.Kind != want || ttl <= 0 || ttl > life(c):
		err = fmt.Errorf("%w: a state with the wrong gate, kind or TTL", errMessage)
	}
	if err != nil {
		s.report().Ignored(err)
		return
	}
	s.memory.put(c, life(c)-ttl)
	for _, current := range s.memory.current(c.Gate) {
		if current.Kind == c.Kind && c.Peer != s.peer {
			s.report().Apply(current)
		}
	}
}
