// Package asynqrestart stores the restarts of package resilience in asynq, a task
// queue on Redis, so that any machine of a fleet can run them. [NewQueue] makes a
// [Queue], which is a [resilience.Restarter]. Register the same functions as with
// [resilience.Queue]:
//
//	client := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
//	queue := asynqrestart.NewQueue(client, config)
//	queue.Register("summarize", summarize) // func(ctx, payload []byte) error
//	err := queue.Start()                   // only where tasks should run
//	...
//	x, err := resilience.New(config, resilience.WithRestarter(queue))
//
// What happens to a call that failed with a network error after all retries:
//
//   - The call is stored as a scheduled task of asynq, due after a minute
//     ([resilience.RestartConfig]). Calls with the same kind (the name of the
//     function) and the same key become one task.
//   - When the task is due, one of the machines that have registered its kind runs
//     it. asynq's lease of 30 s, renewed every 5 s, keeps the other machines from
//     running the task.
//   - The start is counted in Redis before the function runs. The next run of the
//     task has the next number ([resilience.RestartNumber]).
//   - If the function fails with a network error, the task is scheduled again,
//     after 2 and 4 minutes. After the third failure, and after any other error,
//     the task has failed for good and is removed ([resilience.RestartFailed]). If
//     an open circuit breaker or a rate limit prevents the call, the restart does
//     not count ([resilience.RestartPostponed]).
//   - If the machine dies, the lease expires. asynq notices the expiry within two
//     and a half minutes, and another machine takes the task over
//     ([resilience.RestartInterrupted]). If the process has ended during three
//     restarts of a task, the task is parked ([resilience.RestartParked]): asynq
//     archives it and no longer runs it. [Queue.Resume] makes a parked task due
//     again, and [Queue.Discard] removes it. asynq removes archived tasks after 90
//     days.
//   - If a task is due and no machine has registered its kind, one machine emits
//     one event ([resilience.RestartUnhandled]).
//
// In asynq, each kind has a queue of its own, errclass:restart:<kind>. A machine
// reads only the queues of its registered kinds. asynq's tools and web UI show these
// queues. The counts of starts and failures have keys of their own:
// errclass:restart:state:*.
//
// asynq computes due times and leases with the clocks of the machines. It tolerates
// clocks that differ by up to 30 s.
package asynqrestart
