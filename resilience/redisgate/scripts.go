package redisgate

import "github.com/redis/go-redis/v9"

// The server runs each script atomically. All times are in milliseconds. Each script
// reads only the first bytes of a value, because another program may have stored a huge
// value under this key.

// luaCommon contains functions that several scripts call.
const luaCommon = `
-- far reports whether no correct process would store a key for so long. ms is the time
-- for which this process would store the key. Other processes can have read an older,
-- longer time, so twice this time is allowed.
local function far(left, ms)
	return left > math.max(600000, 2 * ms)
end

-- live returns the time that is left of a state. It returns -1 if there is no
-- state, or if another program has written the key.
local function live(key, ms)
	if redis.pcall('GETRANGE', key, 0, 6) ~= '{"v":1,' then
		return -1
	end
	local left = redis.call('PTTL', key)
	if far(left, ms) then
		return -1
	end
	return left
end

local function now()
	local t = redis.call('TIME')
	return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end

-- remember adds a state to the index. New processes read the states of the index.
local function remember(index, member, ms)
	local t = now()
	if type(redis.pcall('ZADD', index, t + ms, member)) ~= 'number' then
		redis.call('DEL', index)
		redis.call('ZADD', index, t + ms, member)
	end
	redis.call('ZREMRANGEBYSCORE', index, '-inf', t)
	redis.call('ZREMRANGEBYRANK', index, 0, -10001)
	redis.call('PEXPIRE', index, 86400000)
end

local function publish(channel, text)
	local peers = redis.call('PUBSUB', 'NUMSUB', channel)[2]
	redis.call('PUBLISH', channel, peers .. ' ' .. text)
end

-- owner returns the process that has a lease. It returns '' if there is no lease,
-- and a table if the key holds no string.
local function owner(key)
	return redis.pcall('GETRANGE', key, 0, 63)
end
`

// heldScript stores and publishes a pause that a rate limit requires. The script does
// nothing if the pause is shorter than a second, or if the pause would prolong the
// stored pause by less than a second.
//
// KEYS: state, index. ARGV: JSON of the change, duration of the pause, channel,
// member of the index.
var heldScript = redis.NewScript(luaCommon + `
local ms = tonumber(ARGV[2])
if live(KEYS[1], ms) > ms - 1000 then
	return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ms)
remember(KEYS[2], ARGV[4], ms)
publish(ARGV[3], ARGV[1])
return 1
`)

// openedScript stores and publishes that a breaker has opened. The calling process
// gets the lease of the trial until the next trial is due.
//
//   - If this is the first opening of an outage and an opening is stored, the script
//     does nothing.
//   - After a failed trial, the script does not take the lease from another process.
//
// KEYS: state, index, lease. ARGV: JSON of the change, TTL, channel, member of the
// index, time until the next trial, "1" if this is the first opening of an outage, id of
// the calling process.
var openedScript = redis.NewScript(luaCommon + `
local first = ARGV[6] == '1'
if first and live(KEYS[1], tonumber(ARGV[2])) >= 0 then
	return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
remember(KEYS[2], ARGV[4], tonumber(ARGV[2]))
local o = owner(KEYS[3])
if first or o == '' or o == ARGV[7] or type(o) == 'table' then
	redis.call('SET', KEYS[3], ARGV[7], 'PX', math.max(tonumber(ARGV[5]), 1))
end
publish(ARGV[3], ARGV[1])
return 1
`)

// closedScript removes the stored opening and the lease of a gate, and publishes the
// change.
//
// KEYS: state, index, lease. ARGV: JSON of the change, channel, member of the index.
var closedScript = redis.NewScript(luaCommon + `
redis.call('DEL', KEYS[1], KEYS[3])
redis.pcall('ZREM', KEYS[2], ARGV[3])
publish(ARGV[2], ARGV[1])
return 1
`)

// releasedScript removes the lease and publishes the change. If this process does
// not have the lease, the script does nothing.
//
// KEYS: lease. ARGV: JSON of the change, channel, process.
var releasedScript = redis.NewScript(luaCommon + `
if owner(KEYS[1]) ~= ARGV[3] then
	return 0
end
redis.call('DEL', KEYS[1])
publish(ARGV[2], ARGV[1])
return 1
`)

// claimScript takes the lease of a trial and returns 0. If another process has the
// lease, the script returns the remaining time of that lease.
//
// KEYS: lease. ARGV: process, TTL, longest time for which a process takes the lease.
var claimScript = redis.NewScript(luaCommon + `
local o, left = owner(KEYS[1]), redis.call('PTTL', KEYS[1])
if o == '' or o == ARGV[1] or type(o) == 'table' or left < 0 or far(left, tonumber(ARGV[3])) then
	redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
	return 0
end
return math.max(left, 1)
`)

// renewScript sets the TTL of the lease again if this process has the lease.
//
// KEYS: lease. ARGV: process, TTL.
var renewScript = redis.NewScript(luaCommon + `
if owner(KEYS[1]) == ARGV[1] then
	return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
`)

// indexScript removes the expired members of the index and returns the others. It
// removes them so that the script writes, and therefore fails on a read-only server.
//
// KEYS: index.
var indexScript = redis.NewScript(luaCommon + `
if type(redis.pcall('ZREMRANGEBYSCORE', KEYS[1], '-inf', now())) ~= 'number' then
	redis.call('DEL', KEYS[1])
end
return redis.call('ZREVRANGE', KEYS[1], 0, 9999)
`)
