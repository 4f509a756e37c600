// Package redisgate shares the gates of package resilience (circuit breakers and
// rate limits) through Redis or Valkey. Processes share three things: the holds
// (pauses that rate limits require), the openings and closings of breakers, and
// which process makes the trial (the call that tests an endpoint whose breaker is
// open). [New] returns a [Sharer]. Each executor needs a Sharer of its own:
//
//	client := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
//	sharer, err := redisgate.New(ctx, client)
//	...
//	defer sharer.Close()
//	x, err := resilience.New(&resilience.Config{Enabled: true}, resilience.WithSharing(sharer))
//
// What happens when a gate changes:
//
//   - The Sharer sends the change to all processes by publish/subscribe.
//   - The server stores the change under a key with a TTL. Processes that start later
//     read these keys in New.
//   - The server drops a change that brings nothing new. So if a thousand processes
//     meet the same rate limit, the server sends one message.
//   - A trial needs a lease. The lease is a key with a TTL of five seconds. The
//     process with the lease renews it while the trial runs. After a failed trial
//     the key stays until the next trial is due.
//
// Before a trial, the process asks the server for the lease and waits for the answer
// for 100 ms at most. All other calls read only the memory of their process.
//
// If the server cannot be reached, each process continues without it. The executor's
// observers receive one event ([resilience.KindSharing], [resilience.SharingAway]).
// They receive another event when the server can be reached again. Changes that
// could not be sent meanwhile are not sent later.
//
// The clocks of the machines may differ: all times in messages and keys are
// durations, and the server counts the TTLs. So a time is wrong by at most the
// travel time of a message.
//
// The server stores no secrets. The endpoint has no user information and no
// query. A [resilience.Target.Key] is hashed. The server stores only the
// category, the reason and the status of a failure. A Sharer ignores a message or a
// key that it cannot decode, and reports one event ([resilience.SharingIgnored]).
// [resilience.Receiver.Apply] limits the effect of messages with wrong values.
//
// The keys are {prefix}:hold:*, {prefix}:open:*, {prefix}:trial:* and
// {prefix}:index. The channel is {prefix}:changes. The braces are part of the
// names. They put all keys into one hash slot of a Redis cluster. The server must
// allow scripts (EVALSHA, EVAL) and the commands for strings, sorted sets and
// publish/subscribe.
package redisgate
