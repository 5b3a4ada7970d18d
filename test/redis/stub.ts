// A script with just enough in it to test the client by itself.

import type { OpenRequest } from "../../src/store/open.ts"
import { openWith } from "../../src/stores/redis/index.ts"
import { scriptOf } from "../../src/stores/redis/script-text.ts"

const text = `
local base, op, epoch, clock, request = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local meta = base .. 'meta'
if op == 'open' then
  redis.call('HSETNX', meta, 'epoch', cjson.decode(request).epoch)
  redis.call('HSETNX', meta, 'version', '1')
  return {'ok', cjson.encode({ epoch = redis.call('HGET', meta, 'epoch'), version = tonumber(redis.call('HGET', meta, 'version')) })}
end
if redis.call('HGET', meta, 'epoch') ~= epoch then return {'lost'} end
if op == 'submit' then
  redis.call('HINCRBY', meta, 'pending', 1)
  redis.call('PUBLISH', base .. 'news', '')
  return {'ok', '{"kind":"ok","nowMs":0,"tasks":[]}'}
end
if op == 'counts' then return {'ok', '{"byStatus":{"pending":' .. (redis.call('HGET', meta, 'pending') or 0) .. '}}'} end
if op == 'exchange' then
  redis.call('HSET', meta, 'exchange', request)
  return {'ok', '{"nowMs":0,"waitedMs":0,"settled":[],"kept":[],"claimed":[],"cancelled":[],"more":false,"touched":0,"unrouted":[]}'}
end
local time = redis.call('TIME')
if op == 'now' then return {'ok', '{"nowMs":' .. (clock ~= '' and clock or (time[1] .. '000')) .. '}'} end
if op == 'get' then return {'error', 'store_damaged', 'meta: expected a sound record'} end
return {'error', 'unheard_of', op}
`

const shapes = {
  definitions: {},
  operations: { exchange: { object: {}, nulls: ["nextAtMs", "blockedBy"] } },
}

export const openStub = (request: OpenRequest) => openWith(() => scriptOf(text, shapes), request)
