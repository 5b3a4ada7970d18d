// A script that keeps what it was asked: what goes over the wire is looked at there.

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
redis.call('HSET', meta, 'request', request)
if op == 'exchange' then
  return {'ok', '{"nowMs":0,"waitedMs":0,"settled":[],"kept":[],"claimed":[],"cancelled":[],"more":false,"touched":0,"unrouted":[]}'}
end
if op == 'now' then return {'ok', '{"nowMs":' .. (clock ~= '' and clock or '0') .. '}'} end
if op == 'get' then return {'error', 'store_damaged', 'meta: expected a sound record'} end
return {'error', 'unheard_of', op}
`

const shapes = {
  definitions: {},
  operations: { exchange: { object: {}, nulls: ["nextAtMs", "blockedBy"] } },
}

export const openStub = (request: OpenRequest) => openWith(() => scriptOf(text, shapes), request)
