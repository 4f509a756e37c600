package redisgate

import "github.com/redis/go-redis/v9"

// The scripts are atomic. Keys may hold anything, so each script checks what it
// reads, and reads a few bytes only. All times are in milliseconds.

// luaCommon has the functions that several scripts need.
const luaCommon = `
-- live returns the time that is left of a state, or -1 if there is none or it is
-- none of ours.
local function live(key)
	if redis.pcall('GETRANGE', key, 0, 6) ~= '{"v":1,' then
		return -1
	end
	local left = redis.call('PTTL', key)
	if left > 600000 then
		return -1
	end
	return left
end

local function now()
	local t = redis.call('TIME')
	return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end

-- remember adds a state to the index of those that are read by new processes.
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

-- owner returns the owner of a lease, '' if there is none, or a table if it is
-- none of ours.
local function owner(key)
	return redis.pcall('GETRANGE', key, 0, 63)
end
`

// heldScript stores and sends a hold, unless one that ends within a second of it is
// known.
// KEYS: state, index. ARGV: text, time of the hold, channel, member of the index.
var heldScript = redis.NewScript(luaCommon + `
local ms = tonumber(ARGV[2])
if live(KEYS[1]) > ms - 1000 then
	return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ms)
remember(KEYS[2], ARGV[4], ms)
publish(ARGV[3], ARGV[1])
return 1
`)

// openedScript stores and sends an opening. If it is the first one of an outage, it
// is dropped if one is known. The lease of the trial then belongs to its process
// until the next trial is due; other processes ask for it later.
// KEYS: state, index, lease. ARGV: text, TTL, channel, member, time until the next
// trial, "1" for the first opening, process.
var openedScript = redis.NewScript(luaCommon + `
local first = ARGV[6] == '1'
if first and live(KEYS[1]) >= 0 then
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

// closedScript removes an opening and the lease, and sends the closing.
// KEYS: state, index, lease. ARGV: text, channel, member.
var closedScript = redis.NewScript(luaCommon + `
redis.call('DEL', KEYS[1], KEYS[3])
redis.pcall('ZREM', KEYS[2], ARGV[3])
publish(ARGV[2], ARGV[1])
return 1
`)

// releasedScript removes the lease of the process, and sends that it is free.
// KEYS: lease. ARGV: text, channel, process.
var releasedScript = redis.NewScript(luaCommon + `
if owner(KEYS[1]) ~= ARGV[3] then
	return 0
end
redis.call('DEL', KEYS[1])
publish(ARGV[2], ARGV[1])
return 1
`)

// claimScript takes the lease of a trial and returns 0, or returns the time that
// another process has it.
// KEYS: lease. ARGV: process, TTL.
var claimScript = redis.NewScript(luaCommon + `
local o, left = owner(KEYS[1]), redis.call('PTTL', KEYS[1])
if o == '' or o == ARGV[1] or type(o) == 'table' or left < 0 or left > 600000 then
	redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
	return 0
end
return math.max(left, 1)
`)

// renewScript renews a lease that the process still has.
// KEYS: lease. ARGV: process, TTL.
var renewScript = redis.NewScript(luaCommon + `
if owner(KEYS[1]) == ARGV[1] then
	return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
`)

// indexScript returns the members of the index. It writes, so that it fails on a
// server that is read-only.
// KEYS: index.
var indexScript = redis.NewScript(luaCommon + `
if type(redis.pcall('ZREMRANGEBYSCORE', KEYS[1], '-inf', now())) ~= 'number' then
	redis.call('DEL', KEYS[1])
end
return redis.call('ZREVRANGE', KEYS[1], 0, 9999)
`)
