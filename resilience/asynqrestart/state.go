package asynqrestart

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// maxCrashes is the number of crashes after which a task is parked. A crash is a
// restart during which the process ended.
const maxCrashes = 3

// stateLife is how long the counts of a task are kept after their last change. asynq
// keeps an archived task for a shorter time.
const stateLife = 100 * 24 * time.Hour

// doneLife is how long the counts are kept after the task has ended for good, in
// addition to the base pause. asynq delivers such a task once more only if the process
// died before asynq removed the task. The lease ends within a minute. The next machine
// that runs the kind then waits for the base pause, and finds in the counts that the
// task is done. The three days cover a fleet that is stopped over a weekend.
const doneLife = 3 * 24 * time.Hour

// counts has the counters and flags that Redis stores for a task.
type counts struct {
	number        int // number of the last restart; refused restarts do not count
	failures      int
	crashes       int
	postponements int
	parked        bool
	done          bool // the task has succeeded or has failed for good
	interrupted   bool // the end of the last restart was not stored
}

// startScript counts a start before the function runs. The state is a hash with the
// counts of the task.
//
//   - While a restart runs, the state has an owner.
//   - If a start finds an owner, the end of the last restart was not stored.
//   - If that owner is another process, the other process has crashed.
//
// KEYS: state. ARGV: owner (process/run), process, maxCrashes, TTL.
var startScript = redis.NewScript(`
local function get(field) return tonumber(redis.call('HGET', KEYS[1], field) or '0') or 0 end
local number, crashes, interrupted = get('number'), get('crashes'), 0
if get('done') == 1 then
	return {number, get('failures'), crashes, get('postponements'), 0, 1, 0}
end
local owner = redis.call('HGET', KEYS[1], 'owner')
if owner then
	interrupted = 1
	if string.sub(owner, 1, #ARGV[2]) ~= ARGV[2] then
		crashes = crashes + 1
		redis.call('HSET', KEYS[1], 'crashes', crashes)
	end
end
if crashes >= tonumber(ARGV[3]) then
	redis.call('HDEL', KEYS[1], 'owner')
	redis.call('PEXPIRE', KEYS[1], ARGV[4])
	return {number, get('failures'), crashes, get('postponements'), 1, 0, interrupted}
end
number = number + 1
redis.call('HSET', KEYS[1], 'number', number, 'owner', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {number, get('failures'), crashes, get('postponements'), 0, 0, interrupted}
`)

// endScript stores the end of a restart. If the restart no longer owns the task,
// endScript does nothing.
//
// KEYS: state. ARGV: owner, number, failures, postponements, done, TTL.
var endScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then
	return 0
end
redis.call('HDEL', KEYS[1], 'owner')
redis.call('HSET', KEYS[1], 'number', ARGV[2], 'failures', ARGV[3], 'postponements', ARGV[4], 'done', ARGV[5])
redis.call('PEXPIRE', KEYS[1], ARGV[6])
return 1
`)

// releaseScript removes the owner, so that a restart that Shutdown cancels does not
// count as a crash.
//
// KEYS: state. ARGV: owner.
var releaseScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'owner') == ARGV[1] then
	return redis.call('HDEL', KEYS[1], 'owner')
end
return 0
`)

func stateKey(offer string) string { return "errclass:restart:state:" + offer }

// begin counts the start of a restart and returns the counts of its task.
func (q *Queue) begin(ctx context.Context, offer, owner string) (c counts, err error) {
	n, err := startScript.Run(ctx, q.client, []string{stateKey(offer)}, owner, q.process, maxCrashes, stateLife.Milliseconds()).Int64Slice()
	if err != nil || len(n) != 7 {
		return c, err
	}
	return counts{int(n[0]), int(n[1]), int(n[2]), int(n[3]), n[4] == 1, n[5] == 1, n[6] == 1}, nil
}

// end stores the end of a restart. If the restart no longer owns the task, end
// stores nothing and owned is false.
func (q *Queue) end(ctx context.Context, rec record, owner string, c counts) (owned bool, err error) {
	done, life := 0, stateLife
	if c.done {
		done, life = 1, doneLife+q.delay(rec.Agent, counts{})
	}
	return endScript.Run(ctx, q.client, []string{stateKey(rec.Offer)}, owner, c.number, c.failures, c.postponements, done, life.Milliseconds()).Bool()
}

// read returns the counts of a task.
func (q *Queue) read(ctx context.Context, offer string) (c counts, running bool, err error) {
	fields, err := q.client.HGetAll(ctx, stateKey(offer)).Result()
	if err != nil {
		return c, false, err
	}
	number := func(field string) int { n, _ := strconv.Atoi(fields[field]); return n }
	_, running = fields["owner"]
	return counts{number: number("number"), failures: number("failures"), crashes: number("crashes"), postponements: number("postponements")}, running, nil
}
