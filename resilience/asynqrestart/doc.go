// Package asynqrestart runs failed calls of package resilience again later, on any
// machine of a fleet. It stores the calls as tasks of asynq, a task queue on Redis.
//
// [NewQueue] makes a [Queue], which is a [resilience.Restarter]. Register the same
// functions as with [resilience.Queue]:
//
//	client := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
//	queue := asynqrestart.NewQueue(client, config)
//	queue.Register("summarize", summarize) // func(ctx, payload []byte) error
//	err := queue.Start()                   // only where tasks should run
//	...
//	x, err := resilience.New(config, resilience.WithRestarter(queue))
//
// A call that failed with a network error after all retries becomes a task:
//
//   - The task is stored in asynq. It is due after a minute
//     ([resilience.RestartConfig]).
//   - A task has a kind, the name of its function. Calls with the same kind and key
//     become one task.
//   - One machine runs the due task. The machine must have registered the kind.
//   - asynq's lease keeps the other machines from running the task. The lease lasts
//     30 s and is renewed every 5 s.
//   - Each start is counted in Redis before the function runs
//     ([resilience.RestartNumber]).
//   - If the function fails with a network error, the task is scheduled again. The
//     pauses are 2 and 4 minutes.
//   - After the third network error, the task has failed for good and is removed
//     ([resilience.RestartFailed]). After any other error, it is removed at once.
//   - If an open circuit breaker or a rate limit prevents the call, the restart does
//     not count ([resilience.RestartPostponed]).
//   - If the machine dies, the lease expires. Another machine takes the task over
//     within about two and a half minutes ([resilience.RestartInterrupted]).
//   - If the process has ended during three restarts, the task is parked
//     ([resilience.RestartParked]): asynq archives the task. asynq removes archived
//     tasks after 90 days.
//   - [Queue.Resume] makes a parked task due again. [Queue.Discard] removes a parked
//     task.
//   - If no machine has registered the kind of a due task, one machine emits one
//     event ([resilience.RestartUnhandled]).
//
// Each kind has its own asynq queue, errclass:restart:<kind>. A machine reads only
// the queues of its registered kinds. The counts of each task have keys of their
// own, errclass:restart:state:*. They stay for three days after the task has ended.
//
// asynq computes due times and leases with the clocks of the machines. The clocks
// may differ by at most 30 s.
package asynqrestart
