"""What is done with routines inside a Redis, each in one step. The order of KEYS is that of `KEYS`."""

VERSION = 1  # of what is below; a newer one is used as it is, for keys are only ever added

# By number: `body` is the routine as JSON, `plan` is "next|is it an event|is it paused", `last` what became
# of it, `claims` who runs it. A time is never a number of Lua's, which would round it. ARGV[1] is the stamp.
KEYS = ("body", "plan", "last", "claims", "number", "stamp", "version", "damaged")
_HEAD = f"""
local body, plan, last, claims, number, stamp, version, damaged = unpack(KEYS)
local function changed()
  redis.call('SET', stamp, ARGV[1])
  redis.call('SETNX', version, {VERSION})
end
local function row(id)
  return {{id, redis.call('HGET', body, id), redis.call('HGET', plan, id), redis.call('HGET', last, id)}}
end
local function put(id, key, text)
  if text == '' then redis.call('HDEL', key, id) else redis.call('HSET', key, id, text) end
end
local function drop(id)
  for _, key in ipairs({{body, plan, last, claims}}) do redis.call('HDEL', key, id) end
end
"""
# The limit, then body, plan and last of each.
ADD = f"""{_HEAD}
local there = redis.call('HLEN', body)
if there + (#ARGV - 2) / 3 > tonumber(ARGV[2]) then return {{'too many', there}} end
local ids = {{}}
for i = 3, #ARGV, 3 do
  local id = redis.call('INCR', number)
  put(id, body, ARGV[i])
  put(id, plan, ARGV[i + 1])
  put(id, last, ARGV[i + 2])
  ids[#ids + 1] = id
end
changed()
return {{'kept', ids}}
"""
# Number, body, plan and last of each.
REPLACE = f"""{_HEAD}
local kept = {{}}
for i = 2, #ARGV, 4 do
  if redis.call('HEXISTS', body, ARGV[i]) == 1 then
    put(ARGV[i], body, ARGV[i + 1])
    put(ARGV[i], plan, ARGV[i + 2])
    put(ARGV[i], last, ARGV[i + 3])
    kept[#kept + 1] = tonumber(ARGV[i])
  end
end
changed()
return kept
"""
# Number and time of each.
PLAN = f"""{_HEAD}
for i = 2, #ARGV, 2 do
  local rest = string.match(redis.call('HGET', plan, ARGV[i]) or '', '|1|0$')
  if rest and redis.call('HEXISTS', claims, ARGV[i]) == 0 then put(ARGV[i], plan, ARGV[i + 1] .. rest) end
end
changed()
return 1
"""
REMOVE = f"""{_HEAD}
local gone = {{}}
for i = 2, #ARGV do
  local found = row(ARGV[i])
  if found[2] then gone[#gone + 1] = found end
  drop(ARGV[i])
end
changed()
return gone
"""
# Who, then number and time of each; an empty time is that of something that happened.
CLAIM = f"""{_HEAD}
local ours = {{}}
for i = 3, #ARGV, 2 do
  local found, by = row(ARGV[i]), redis.call('HGET', claims, ARGV[i])
  if found[2] and found[3] and (not by or by == ARGV[2]) then
    local due, paused = string.match(found[3], '^([^|]*)|%d|(%d)')
    if paused == '0' and (ARGV[i + 1] == '' or ARGV[i + 1] == due) then
      redis.call('HSET', claims, ARGV[i], ARGV[2])
      ours[#ours + 1] = found
    end
  end
end
if #ours > 0 then changed() end
return ours
"""
# Who, or nothing for anybody; then number, the time at which it was due, the time at which it comes next (or
# "gone") and last of each.
FINISH = f"""{_HEAD}
for i = 3, #ARGV, 4 do
  local id, due, following = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local by = redis.call('HGET', claims, id)
  if by and (ARGV[2] == '' or by == ARGV[2]) then
    redis.call('HDEL', claims, id)
    local now, rest = string.match(redis.call('HGET', plan, id) or '', '^([^|]*)(|.*)$')
    if ARGV[i + 3] ~= '' then put(id, last, ARGV[i + 3]) end
    if now == due and following == 'gone' then drop(id)
    elseif now == due then put(id, plan, following .. rest) end
  end
end
changed()
return 1
"""
ASIDE = f"""{_HEAD}
for i = 2, #ARGV do
  redis.call('HSET', damaged, ARGV[i], redis.call('HGET', body, ARGV[i]) or '')
  drop(ARGV[i])
end
changed()
return 1
"""
# Which: all, those that something starts, or those that others than this one have claimed.
ROWS = f"""{_HEAD}
local rows = {{}}
for _, id in ipairs(redis.call('HKEYS', body)) do
  local found = row(id)
  local by = redis.call('HGET', claims, id)
  if ARGV[1] == 'all' or (ARGV[1] == 'events' and string.match(found[3] or '', '|1|0$'))
    or (ARGV[1] == 'claimed' and by and by ~= ARGV[2]) then rows[#rows + 1] = found end
end
return rows
"""
PLANS = f"{_HEAD} return {{redis.call('HGETALL', plan), redis.call('HKEYS', claims)}}"

RENEW = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
