package redisgate_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
	"github.com/errclass/errclass/resilience/redisgate"
)

func TestNew_NoClient(t *testing.T) {
	t.Parallel()
	_, err := redisgate.New(t.Context(), nil)
	require.Error(t, err)
}

// If one process meets a rate limit, the others pause too. Processes that start
// later also pause.
func TestHold(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		a, b := newProcess(t, addr), newProcess(t, addr)
		require.NoError(t, b.do(t, nil, time.Second))
		require.Error(t, a.do(t, &limitedError{30 * time.Second}, time.Second))
		eventually(t, func() bool { return b.status().Hold > 0 }, "the other process is held")
		assert.InDelta(t, 30, b.status().Hold.Seconds(), 2)
		require.ErrorIs(t, b.do(t, nil, time.Second), resilience.ErrHeld)

		late := newProcess(t, addr)
		require.ErrorIs(t, late.do(t, nil, time.Second), resilience.ErrHeld)
		assert.InDelta(t, 30, late.status().Hold.Seconds(), 3)
		assert.Zero(t, late.called())
		assert.Empty(t, late.sharing())
	})
}

// If one process opens its breaker, the others open theirs. Only one process makes
// the trial.
func TestOpenAndClose(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		a, b := newProcess(t, addr), newProcess(t, addr)
		require.ErrorIs(t, b.do(t, context.Canceled, time.Second), context.Canceled) // creates the state of b for the endpoint
		a.down(t)
		eventually(t, b.open, "the other process opens its breaker")
		late := newProcess(t, addr)
		var all sync.WaitGroup
		var trials, answered atomic.Int64
		for _, p := range []*process{a, b, late} {
			for range 3 {
				all.Go(func() {
					_, err := resilience.Do(t.Context(), p.x, resilience.Call{Targets: []resilience.Target{target}},
						func(context.Context, resilience.Target) (int, error) {
							if answered.Load() == 0 {
								trials.Add(1)
								time.Sleep(200 * time.Millisecond)
							}
							answered.Add(1)
							return 1, nil
						})
					assert.NoError(t, err)
				})
			}
		}
		all.Wait()
		assert.EqualValues(t, 1, trials.Load())
		assert.EqualValues(t, 9, answered.Load())
		for _, p := range []*process{a, b, late} {
			eventually(t, func() bool { return !p.open() }, "all breakers close")
			assert.Empty(t, p.sharing())
		}
		keys, err := newClient(t, addr).Keys(t.Context(), "*").Result()
		require.NoError(t, err)
		for _, k := range keys {
			assert.Equal(t, "{errclass}:index", k, "an opening or a lease is left")
		}
	})
}

// If a process does not renew its lease, another process makes the trial.
func TestDeadProcessLosesLease(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		a, b := newProcess(t, addr), newProcess(t, addr)
		ctx := t.Context()
		wait, err := a.Claim(ctx, "g", 30*time.Second)
		require.NoError(t, err)
		require.Zero(t, wait)
		wait, err = b.Claim(ctx, "g", 30*time.Second)
		require.NoError(t, err)
		assert.Greater(t, wait, time.Second)
		wait, err = a.Claim(ctx, "g", 30*time.Second)
		require.NoError(t, err)
		assert.Zero(t, wait, "the process has it already")
		left, err := newClient(t, addr).PTTL(ctx, "{errclass}:trial:g").Result()
		require.NoError(t, err)
		assert.LessOrEqual(t, left, 5*time.Second)

		a.Publish(resilience.GateChange{Gate: "g", Kind: resilience.GateReleased})
		eventually(t, func() bool {
			wait, err := b.Claim(ctx, "g", 30*time.Second)
			return err == nil && wait == 0
		}, "the lease is free")
	})
}

// A breaker with a long pause before the next trial keeps the lease for the whole pause.
func TestLongLease(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		a, b := newProcess(t, addr), newProcess(t, addr)
		a.Publish(resilience.GateChange{Gate: "g", Kind: resilience.GateOpened, NextTrial: time.Hour})
		client := newClient(t, addr)
		eventually(t, func() bool { return client.Exists(t.Context(), "{errclass}:trial:g").Val() == 1 }, "the lease is stored")
		wait, err := b.Claim(t.Context(), "g", time.Hour)
		require.NoError(t, err)
		assert.Greater(t, wait, 50*time.Minute)
	})
}

// A process renews its lease while a long trial runs.
func TestLeaseIsRenewed(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		a := newProcess(t, addr)
		_, err := a.Claim(t.Context(), "g", 30*time.Second)
		require.NoError(t, err)
		client := newClient(t, addr)
		require.NoError(t, client.PExpire(t.Context(), "{errclass}:trial:g", 4*time.Second).Err())
		eventually(t, func() bool { return client.PTTL(t.Context(), "{errclass}:trial:g").Val() > 4500*time.Millisecond }, "renewed")
	})
}

// The server stores no secrets, and every key has a TTL.
func TestKeys(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		client := newClient(t, addr)
		p := newProcess(t, addr)
		sub := client.Subscribe(t.Context(), "{errclass}:changes")
		defer sub.Close()
		_, err := sub.Receive(t.Context())
		require.NoError(t, err)
		for _, e := range []string{"https://user:hunter2@api.example.com/a b?key=hunter2", "https://b.example/\r\n{x}"} {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			_, err := resilience.Do(ctx, p.x, resilience.Call{Targets: []resilience.Target{{Endpoint: e, Key: "hunter2"}}},
				func(context.Context, resilience.Target) (int, error) { return 0, &limitedError{20 * time.Second} })
			cancel()
			require.Error(t, err)
			received, err := sub.ReceiveMessage(t.Context())
			require.NoError(t, err)
			assert.NotContains(t, received.Payload, "hunter2")
		}
		keys, err := client.Keys(t.Context(), "*").Result()
		require.NoError(t, err)
		assert.Len(t, keys, 3)
		for _, k := range keys {
			assert.Regexp(t, `^\{errclass\}:[!-z~]+$`, k)
			assert.NotContains(t, k, "hunter2")
			assert.Positive(t, client.PTTL(t.Context(), k).Val(), k)
			if strings.HasPrefix(k, "{errclass}:hold:") {
				assert.NotContains(t, client.Get(t.Context(), k).Val(), "hunter2")
			}
		}
	})
}

func TestWithPrefix(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		client := newClient(t, addr)
		s, err := redisgate.New(t.Context(), client, redisgate.WithPrefix("sh{op}"), redisgate.WithPrefix(""), nil)
		require.NoError(t, err)
		defer s.Close()
		_, err = s.Claim(t.Context(), "g", time.Second)
		require.NoError(t, err)
		assert.EqualValues(t, 1, client.Exists(t.Context(), "{shop}:trial:g").Val())
	})
}

// If other programs have written the keys, calls succeed and one event is reported.
func TestHostileContent(t *testing.T) {
	const gate = "https%3A%2F%2Fapi.example.com%2Fv1#"
	tests := []struct {
		name    string
		prepare func(ctx context.Context, c *redis.Client, gate string)
	}{
		{"an index of another type", func(ctx context.Context, c *redis.Client, _ string) {
			c.Set(ctx, "{errclass}:index", "x", 0)
		}},
		{"states of other types", func(ctx context.Context, c *redis.Client, gate string) {
			c.RPush(ctx, "{errclass}:hold:"+gate, "x")
			c.HSet(ctx, "{errclass}:open:"+gate, "x", "y")
			c.RPush(ctx, "{errclass}:trial:"+gate, "x")
			c.ZAdd(ctx, "{errclass}:index", redis.Z{Score: 1e15, Member: "hold:" + gate}, redis.Z{Score: 1e15, Member: "open:" + gate})
		}},
		{"a lease without an end", func(ctx context.Context, c *redis.Client, gate string) {
			c.Set(ctx, "{errclass}:trial:"+gate, "somebody", 0)
		}},
		{"a lease of ten years", func(ctx context.Context, c *redis.Client, gate string) {
			c.Set(ctx, "{errclass}:trial:"+gate, "somebody", 87600*time.Hour)
		}},
		{"garbage and huge values", func(ctx context.Context, c *redis.Client, gate string) {
			c.Set(ctx, "{errclass}:hold:"+gate, strings.Repeat("x", 10<<20), 0)
			c.Set(ctx, "{errclass}:open:"+gate, `{"v":1,"gate":`, time.Minute)
			c.ZAdd(ctx, "{errclass}:index", redis.Z{Score: 1e15, Member: "hold:" + gate}, redis.Z{Score: 1e15, Member: "open:" + gate},
				redis.Z{Score: 1e15, Member: strings.Repeat("y", 1<<20)}, redis.Z{Score: 1e15, Member: ""})
		}},
		{"a hold of ten years", func(ctx context.Context, c *redis.Client, gate string) {
			c.Set(ctx, "{errclass}:hold:"+gate, `{"v":1,"peer":"p","gate":"`+gate+`","kind":"held","hold":315360000000}`, 87600*time.Hour)
			c.ZAdd(ctx, "{errclass}:index", redis.Z{Score: 1e15, Member: "hold:" + gate})
		}},
		{"another version", func(ctx context.Context, c *redis.Client, gate string) {
			c.Set(ctx, "{errclass}:open:"+gate, `{"v":2,"peer":"p","gate":"`+gate+`","kind":"opened"}`, time.Minute)
			c.ZAdd(ctx, "{errclass}:index", redis.Z{Score: 1e15, Member: "open:" + gate})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			onServers(t, func(t *testing.T, addr string) {
				client := newClient(t, addr)
				before := newProcess(t, addr)
				require.NoError(t, before.do(t, nil, time.Second))
				id := idOf(t, addr)
				assert.True(t, strings.HasPrefix(id, gate))
				tt.prepare(t.Context(), client, id)
				after := newProcess(t, addr)
				assert.LessOrEqual(t, len(after.sharing()), 1)
				if h := after.status().Hold; h > 0 {
					assert.LessOrEqual(t, h, time.Minute)
				}
				for _, p := range []*process{before, after} {
					if err := p.do(t, nil, 5*time.Second); err != nil {
						require.ErrorIs(t, err, resilience.ErrHeld)
					}
				}
				// The hostile content prevents neither sharing nor a trial.
				require.Error(t, before.do(t, &limitedError{40 * time.Second}, 5*time.Second))
				eventually(t, func() bool { return after.status().Hold > 30*time.Second }, "holds are shared")
				assert.LessOrEqual(t, len(before.sharing()), 1)
				wait, err := after.Claim(t.Context(), id, time.Second)
				require.NoError(t, err)
				assert.Zero(t, wait)
			})
		})
	}
}

// idOf returns the id of the target's gate.
func idOf(t *testing.T, addr string) string {
	t.Helper()
	client := newClient(t, addr)
	s, err := redisgate.New(t.Context(), client, redisgate.WithPrefix("other"))
	require.NoError(t, err)
	defer s.Close()
	x, err := resilience.New(&resilience.Config{Enabled: true}, resilience.WithSharing(s))
	require.NoError(t, err)
	p := &process{Sharer: s, x: x}
	require.Error(t, p.do(t, &limitedError{40 * time.Second}, 100*time.Millisecond))
	var keys []string
	eventually(t, func() bool { keys = client.Keys(t.Context(), "{other}:hold:*").Val(); return len(keys) == 1 }, "hold stored")
	return strings.TrimPrefix(keys[0], "{other}:hold:")
}

// Malformed messages are ignored. One event reports all of them.
func TestHostileMessages(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		client := newClient(t, addr)
		p := newProcess(t, addr)
		for _, m := range []string{
			"", "x", "1", "1 ", "1 {}", "1 null", "1 []", "x {}", strings.Repeat("9", 400) + " {}",
			`3 {"v":1}`, `3 {"v":99,"peer":"p","gate":"g","kind":"held"}`,
			`3 {"v":1,"peer":"p","gate":"g","kind":"held","hold":1e400}`,
			`3 {"v":1,"peer":"p","gate":"` + strings.Repeat("g", 5000) + `","kind":"held"}`,
			strings.Repeat("x", 1<<20), "\x00\xff",
		} {
			require.NoError(t, client.Publish(t.Context(), "{errclass}:changes", m).Err())
		}
		eventually(t, func() bool { return len(p.sharing()) > 0 }, "an event")
		require.NoError(t, p.do(t, nil, time.Second))
		assert.Equal(t, []string{resilience.SharingIgnored}, p.sharing())
	})
}

// If equal or almost equal changes are published many times, the server sends one
// message.
func TestEqualChangesAreOne(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		p := newProcess(t, addr)
		client := newClient(t, addr)
		sub := client.Subscribe(t.Context(), "{errclass}:changes")
		defer sub.Close()
		_, err := sub.Receive(t.Context())
		require.NoError(t, err)
		for gate, pause := range map[string]time.Duration{"short": 10 * time.Second, "long": 2 * time.Hour} {
			for i := range 20 {
				p.Publish(resilience.GateChange{Gate: gate, Kind: resilience.GateHeld, Hold: pause - time.Duration(i)*time.Millisecond})
				p.Publish(resilience.GateChange{Gate: gate, Kind: resilience.GateOpened, NextTrial: pause})
			}
			p.Publish(resilience.GateChange{Gate: gate, Kind: resilience.GateClosed})
			for _, want := range []string{"held", "opened", "closed"} {
				m, err := sub.ReceiveMessage(t.Context())
				require.NoError(t, err)
				assert.Contains(t, m.Payload, `"gate":"`+gate+`","kind":"`+want+`"`)
				assert.True(t, strings.HasPrefix(m.Payload, "2 "), "number of processes")
			}
		}
	})
}

// The server is killed and starts again. No call fails or waits because of that.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	server := realServer(t)
	if server == nil {
		return
	}
	outage(t, server.Addr, server.Kill, func() { require.NoError(t, server.Start(t.Context())) })
}

// The server hangs and answers again later. No call fails or waits because of that.
func TestServerHangs(t *testing.T) {
	t.Parallel()
	server := realServer(t)
	if server == nil {
		return
	}
	outage(t, server.Addr,
		func() { require.NoError(t, server.Signal(syscall.SIGSTOP)) },
		func() { require.NoError(t, server.Signal(syscall.SIGCONT)) })
}

func TestServerKilled_Miniredis(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	outage(t, server.Addr(), server.Close, func() { require.NoError(t, server.Restart()) })
}

// outage makes calls in two processes while the server is down. Meanwhile the
// endpoint of one process is also down.
func outage(t *testing.T, addr string, stop, start func()) {
	t.Helper()
	a, b := newProcess(t, addr), newProcess(t, addr)
	var stopped atomic.Bool
	var all sync.WaitGroup
	var slowest atomic.Int64
	for i, p := range []*process{a, b} {
		for range 4 {
			all.Go(func() {
				for !stopped.Load() {
					begin := time.Now()
					_, err := resilience.Do(t.Context(), p.x, resilience.Call{Targets: []resilience.Target{{Endpoint: fmt.Sprint("https://", i, ".example")}}},
						func(context.Context, resilience.Target) (int, error) { time.Sleep(time.Millisecond); return 1, nil })
					assert.NoError(t, err)
					slowest.Store(max(slowest.Load(), int64(time.Since(begin))))
				}
			})
		}
	}
	stop()
	eventually(t, func() bool { return len(a.sharing()) > 0 && len(b.sharing()) > 0 }, "both notice it")
	a.down(t)
	require.NoError(t, a.do(t, nil, 5*time.Second), "a trial without the server")
	assert.False(t, a.open())
	start()
	eventually(t, func() bool { return len(a.sharing()) > 1 && len(b.sharing()) > 1 }, "both notice that it is back")
	stopped.Store(true)
	all.Wait()
	assert.Less(t, time.Duration(slowest.Load()), 2*time.Second, "no call waits for the server")
	require.NoError(t, b.do(t, nil, time.Second))
	require.Error(t, a.do(t, &limitedError{30 * time.Second}, 100*time.Millisecond))
	eventually(t, func() bool { return b.status().Hold > 0 }, "changes are shared again")
	for _, p := range []*process{a, b} {
		assert.Equal(t, []string{resilience.SharingAway, resilience.SharingBack}, p.sharing())
	}
}

// If the server answers too late for a trial, it does not count as unreachable.
func TestSlowServer(t *testing.T) {
	onServers(t, func(t *testing.T, addr string) {
		slow, client := make(slowHook), newClient(t, addr)
		p := newProcess(t, addr, slow)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := p.Claim(ctx, "g", 30*time.Second)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		close(slow)
		eventually(t, func() bool { return client.Exists(t.Context(), "{errclass}:trial:g").Val() == 1 }, "the server answers")
		wait, err := p.Claim(t.Context(), "g", 30*time.Second)
		require.NoError(t, err, "the session goes on")
		assert.Zero(t, wait)
		assert.Empty(t, p.sharing())
	})
}

// slowHook delays the scripts of a client until the channel is closed.
type slowHook chan struct{}

func (slowHook) DialHook(next redis.DialHook) redis.DialHook                               { return next }
func (slowHook) ProcessPipelineHook(h redis.ProcessPipelineHook) redis.ProcessPipelineHook { return h }
func (s slowHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if args := cmd.Args(); len(args) > 3 && args[3] == "{errclass}:trial:g" {
			<-s
		}
		return next(ctx, cmd)
	}
}

// If the server cannot be reached when the program starts, calls succeed. One event
// reports that the server is away, and another event that it is back.
func TestServerAwayAtStart(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	addr := server.Addr()
	server.Close()
	p := newProcess(t, addr)
	require.NoError(t, p.do(t, nil, time.Second))
	eventually(t, func() bool { return len(p.sharing()) == 1 }, "an event")
	require.NoError(t, server.Restart())
	eventually(t, func() bool { return len(p.sharing()) == 2 }, "the server is back")
	assert.Equal(t, []string{resilience.SharingAway, resilience.SharingBack}, p.sharing())
}
