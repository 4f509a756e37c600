// Package redisgate shares the gates of package resilience through Redis or
// Valkey: holds by rate limits, openings and closings of breakers, and who makes
// the trial of an endpoint that is down. [New] makes a [Sharer], one for each
// executor:
//
//	client := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
//	sharer, err := redisgate.New(ctx, client)
//	...
//	defer sharer.Close()
//	x, err := resilience.New(&resilience.Config{Enabled: true}, resilience.WithSharing(sharer))
//
// What happens to a change of a gate:
//
//   - It is sent to all processes by publish/subscribe.
//   - It is kept under a key with a TTL for processes that come later. New reads
//     these keys.
//   - A change that says nothing new is dropped by the server: if a thousand
//     processes meet the same rate limit, one message is sent.
//   - A trial needs a lease, a key with a TTL of five seconds, which its process
//     renews while the trial runs. After a failed trial the key stays until the
//     next trial is due.
//
// No call waits for the server, with one exception: a call that would be the trial
// of an open breaker waits for the lease, for 100 ms at most. Calls read the memory
// of their process only.
//
// If the server is away, each process goes on by itself. The executor's observers
// receive one event ([resilience.KindSharing], [resilience.SharingAway]), and one
// when it is back. Changes that happen meanwhile are not sent later.
//
// Clocks may differ: all times in messages and keys are durations, and TTLs are
// those of the server. A message is late by the time that it travels.
//
// What is stored has no secrets: the endpoint has no user information and no
// query, a [resilience.Target.Key] is hashed, and of a failure only category,
// reason and status are stored. Content that cannot be read is ignored, with one
// event ([resilience.SharingIgnored]). [resilience.Receiver.Apply] says how much
// harm other content can do.
//
// The keys are {prefix}:hold:*, {prefix}:open:*, {prefix}:trial:* and
// {prefix}:index, the channel is {prefix}:changes. The braces are part of the
// names, so that all are in one slot of a cluster. The server needs the commands
// of scripts (EVALSHA, EVAL), of strings, of sorted sets and of publish/subscribe.
package redisgate
