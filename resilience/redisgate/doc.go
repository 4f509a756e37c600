// Package redisgate shares circuit breakers and rate limits through Redis or Valkey.
// In package resilience, both are called gates. Processes share three things:
//
//   - The pauses that rate limits require.
//   - The state of circuit breakers.
//   - Which process makes the trial, the call that tests an endpoint with an open
//     breaker.
//
// [New] returns a [Sharer]. Each executor needs its own Sharer:
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
//   - The server stores the change under a key with a TTL. Processes that start
//     later read these keys in New.
//   - The server drops a change that brings nothing new. If a thousand processes
//     meet the same rate limit, the server sends one message.
//   - A trial needs a lease, a key with a TTL of five seconds. The process renews
//     the lease while the trial runs.
//   - After a failed trial, the lease stays until the next trial is due.
//
// Before a trial, the process waits at most 100 ms for the lease. If the server answers
// later, the trial is made without a lease. All other calls read only the memory of
// their process.
//
// If the server cannot be reached, or does not answer within a second, each process
// continues without the server.
// Observers of the executor receive one event ([resilience.KindSharing],
// [resilience.SharingAway]). They receive another event when the server can be
// reached again. Changes made in between are not sent.
//
// The clocks of the machines may differ. All times in messages and keys are
// durations, and the server counts the TTLs. A time is wrong by at most the travel
// time of a message.
//
// The server stores no secrets:
//
//   - The endpoint has no user information and no query.
//   - A [resilience.Target.Key] is hashed.
//   - Of a failure, only the category, the reason and the status are stored.
//
// If a Sharer cannot decode a message or a key, it ignores the content and reports
// one event ([resilience.SharingIgnored]). [resilience.Receiver.Apply] limits the
// effect of messages with wrong values.
//
// The keys are {prefix}:hold:*, {prefix}:open:*, {prefix}:trial:* and
// {prefix}:index. The channel is {prefix}:changes. The braces are part of the names.
// They put all keys into one hash slot of a Redis cluster.
//
// The server must allow scripts (EVALSHA, EVAL). It must also allow the commands for
// strings, sorted sets and publish/subscribe.
package redisgate
