import { DAY } from '#base/clock.ts';
import {
  MAX_CHECK_DELAY,
  PREFETCH_LIFETIME,
  MIN_POLL_INTERVAL,
  MAX_SAMPLE_AGE,
  PREFETCH_DIVISOR,
} from '#service/quota/quota-policy.ts';

/**
 * The scripts of the ledger. Each is one atomic step in Lua 5.1.
 *
 * KEYS[1] state (hash)   KEYS[2] open (sorted set: reservation -> when it expires)   KEYS[3] poll lock (string)
 *
 * Fields of the state. `spent` counts all requests ever sent; `ceiling` is the value of `spent` at which the quota is used
 * up, by the last sample. So the estimate is `ceiling - spent - open`, without a clock. `seq` numbers the polls; a refusal
 * or a dead key (`refusedSeq`, `deadSeq`) is valid until a later poll is applied (`appliedSeq`). `lookAt` (low quota) and
 * `blockedUntil` (a refusal) are independent; `blockedUntil` stays until a later sample. Fields of a
 * priority end with its name, as in `headroom:backfill`.
 */

const PRELUDE = `
local state, open, lock = KEYS[1], KEYS[2], KEYS[3]
local function read(...)
  local values = redis.call('HMGET', state, ...)
  for i, name in ipairs({...}) do values[i] = tonumber(values[i] or '') end
  return values
end
local function put(field, value) redis.call('HSET', state, field, string.format('%.0f', value)) end
-- A reservation that nobody settled counts as spent: whoever held it may have sent it before dying.
local function expire(now)
  local lost = redis.call('ZREMRANGEBYSCORE', open, '-inf', now)
  if lost > 0 then redis.call('HINCRBY', state, 'spent', lost) end
end
local function text(value) return value and string.format('%.0f', value) or '' end
local function keep()
  redis.call('PEXPIRE', state, ${DAY})
  redis.call('PEXPIRE', open, ${DAY})
end
`;

/**
 * ARGV holder, serials that were sent, serials that were not, first serial, wanted, prefetch, now, expiresAt, '1' to grant
 * by the estimate even if a poll is due, priority, fewest to grant.
 * -> granted, extra, until when extras may be sent ('' where there may be none), and why not more:
 *    '' | ask, usable 1/0 | wait, nextPollAt | low, when to look, when it should end or '' | refused, until | dead
 *
 * Sent counts as spent even when it had expired: too little is better than too much. What is granted has the serials
 * from the first on. Fewer than the fewest are granted only where more can never be: by the limit, or while token-info is
 * out. Extras are for requests to come: there are some only where no poll is due before they are used, and
 * never more than a small share of what may be spent until then.
 */
const acquire = `
local holder, now, force, priority = ARGV[1], tonumber(ARGV[7]), ARGV[9] == '1', ':' .. ARGV[10]
local first, wanted, prefetch, fewest = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[11])
local function member(serial) return holder .. ':' .. serial end
local function close(serials)
  local count = 0
  for serial in string.gmatch(serials, '%d+') do
    redis.call('ZREM', open, member(serial))
    count = count + 1
  end
  return count
end
local sent = close(ARGV[2])
if sent > 0 then redis.call('HINCRBY', state, 'spent', sent) end
close(ARGV[3])
if wanted == 0 then return {} end
expire(now)
local f = read('spent', 'ceiling', 'headroom' .. priority, 'pollBelow' .. priority, 'sampledAt', 'lookAt' .. priority,
  'pausedSince' .. priority, 'blockedUntil', 'refusedSeq', 'deadSeq', 'appliedSeq', 'nextPollAt', 'probeUntil',
  'limit', 'outSince')
local spent, ceiling, headroom, pollBelow, sampledAt = f[1] or 0, f[2], f[3], f[4], f[5]
local lookAt, pausedSince, blockedUntil = f[6] or 0, f[7], f[8] or 0
local refusedSeq, deadSeq, appliedSeq, nextPollAt, probeUntil = f[9], f[10], f[11] or 0, f[12] or 0, f[13] or 0
local limit, outSince = f[14], f[15]
local function nothing(kind, value, more) return {0, 0, '', kind, value or '', more or ''} end
if deadSeq and deadSeq >= appliedSeq then return nothing('dead') end
if blockedUntil > now then return nothing('refused', text(blockedUntil)) end
if lookAt > now and lookAt <= now + ${MAX_CHECK_DELAY} then return nothing('low', text(lookAt), text(read('endsAt' .. priority)[1])) end
local opened = redis.call('ZCARD', open)
local trusted = ceiling and headroom and not pausedSince and blockedUntil == 0 and not (refusedSeq and refusedSeq >= appliedSeq)
local estimate = (ceiling or 0) - spent - opened
local usable = trusted and estimate > headroom
local fresh = usable and pollBelow and estimate > pollBelow and math.abs(now - sampledAt) < ${MAX_SAMPLE_AGE}
local mayPoll = nextPollAt <= now or nextPollAt > now + ${MAX_CHECK_DELAY}
local asks = mayPoll and not force
local granted, extra, extraUntil = 0, 0, ''
if usable and (fresh or not asks) then
  granted = math.min(wanted, math.ceil(estimate - (asks and math.max(pollBelow, headroom) or headroom)))
  if granted < math.min(fewest, outSince and 1 or limit - headroom) then granted = 0 end
elseif not asks and probeUntil > now and opened == 0 then
  granted = 1
end
local share = fresh and math.floor((estimate - granted - pollBelow) / ${PREFETCH_DIVISOR}) or 0
if share >= 1 then
  extra = math.min(prefetch, share)
  extraUntil = text(math.min(now + ${PREFETCH_LIFETIME}, sampledAt + ${MAX_SAMPLE_AGE}))
end
for serial = first, first + granted + extra - 1 do redis.call('ZADD', open, ARGV[8], member(serial)) end
if granted > 0 then keep() end
if granted == wanted then return {granted, extra, extraUntil, '', ''} end
if asks then return {granted, extra, extraUntil, 'ask', trusted and estimate - granted > headroom and '1' or '0'} end
return {granted, extra, extraUntil, 'wait', text(nextPollAt)}
`;

/**
 * ARGV token, now, lock's lifetime, '1' to poll without waiting for one's turn.
 * -> seq, spent, when token-info may be asked again or ''; or nothing
 */
const startPoll = `
local token, now, ttl, force = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4] == '1'
expire(now)
if not force then
  local nextPollAt = read('nextPollAt')[1] or 0
  if nextPollAt > now and nextPollAt <= now + ${MAX_CHECK_DELAY} then return {} end
  if not redis.call('SET', lock, token, 'NX', 'PX', ttl) then return {} end
end
put('nextPollAt', now + ${MIN_POLL_INTERVAL})
local f = read('spent', 'askAgainAt')
return {tostring(redis.call('HINCRBY', state, 'seq', 1)), text(f[1] or 0), text(f[2])}
`;

/**
 * ARGV seq, spent when it began, remaining, limit, resetAt or '', asked at, how long the window is at least by the
 * service's own word or '', then pairs of priority and headroom.
 * -> estimate, perhaps counted twice, then pausedSince and resumeBy of each priority; or nothing when a later sample was
 *    applied meanwhile
 */
const applySample = `
local seq, spentAtStart, remaining = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local f = read('appliedSeq', 'spent', 'windowMs', 'tokenInfoLimit')
if seq <= (f[1] or 0) then return {} end
redis.call('HSET', state, 'appliedSeq', ARGV[1], 'remaining', ARGV[3], 'limit', ARGV[4], 'resetAt', ARGV[5],
  'sampledAt', ARGV[6])
put('ceiling', remaining + spentAtStart)
if ARGV[7] ~= '' then
  local known = f[4] == tonumber(ARGV[4]) and f[3] or 0
  put('windowMs', math.max(known, tonumber(ARGV[7])))
  redis.call('HSET', state, 'tokenInfoLimit', ARGV[4])
end
redis.call('HDEL', state, 'probeUntil')
local opened = redis.call('ZCARD', open)
-- What is open, or was settled since the poll began: token-info may have counted it already.
local twice = opened + (f[2] or 0) - spentAtStart
local reply = {text(remaining + spentAtStart - (f[2] or 0) - opened), text(twice)}
for i = 8, #ARGV, 2 do
  redis.call('HSET', state, 'headroom:' .. ARGV[i], ARGV[i + 1])
  local pause = read('pausedSince:' .. ARGV[i], 'resumeBy:' .. ARGV[i])
  reply[#reply + 1] = text(pause[1])
  reply[#reply + 1] = text(pause[2])
end
return reply
`;

/**
 * ARGV token, now, then pairs of field and value ('' deletes). Ends the poll, and a block that was over when the sample
 * was asked for, or when none can be had.
 * -> pairs of field and what it was before, or '', for each field that says since when something is so and that was set
 *    or deleted: of all processes, one is told of each change.
 */
const record = `
local reply = {}
local function change(field, value)
  if string.find(field, 'Since') then
    local before = read(field)[1]
    if (value == '') ~= (before == nil) then
      reply[#reply + 1] = field
      reply[#reply + 1] = text(before)
    end
  end
  if value == '' then redis.call('HDEL', state, field) else redis.call('HSET', state, field, value) end
end
for i = 3, #ARGV, 2 do change(ARGV[i], ARGV[i + 1]) end
local f = read('blockedUntil', 'sampledAt', 'refusedSeq', 'appliedSeq', 'outSince')
local asked = f[1] and (f[2] or 0) >= f[1] and (f[4] or 0) > (f[3] or 0)
if f[1] and f[1] <= tonumber(ARGV[2]) and (asked or f[5]) then
  change('blockedUntil', '')
  change('blockedSince', '')
end
if redis.call('GET', lock) == ARGV[1] then redis.call('DEL', lock) end
keep()
return reply
`;

/** ARGV until, now. -> until when all are blocked, '1' for the first to say so */
const recordRefusal = `
local now = tonumber(ARGV[2])
local f = read('seq', 'blockedUntil')
local first = (f[2] or 0) <= now
local untilTime = math.max(tonumber(ARGV[1]), f[2] or 0)
put('refusedSeq', f[1] or 0)
put('blockedUntil', untilTime)
if first then put('blockedSince', now) end
keep()
return {text(untilTime), first and '1' or ''}
`;

/** -> '1' for the first to say so */
const recordDeadKey = `
local f = read('seq', 'deadSeq', 'appliedSeq')
put('deadSeq', f[1] or 0)
keep()
return f[2] and f[2] >= (f[3] or 0) and '' or '1'
`;

export const SCRIPTS = { acquire, startPoll, applySample, record, recordRefusal, recordDeadKey } as const;

/** The whole text of a script, as Redis gets it. */
export const buildScript = (name: keyof typeof SCRIPTS): string => `${PRELUDE}${SCRIPTS[name]}`;
