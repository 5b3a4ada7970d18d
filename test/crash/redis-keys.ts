// The keys of a place in Redis: all that is there, as text, to compare; and copies of it, to put elsewhere.

import type { Client } from "../../src/stores/redis/driver.ts"
import { loadDriver } from "../../src/stores/redis/driver.ts"
import { parseLocation } from "../../src/stores/redis/location.ts"

/** By name without the prefix, as the server dumps them. */
export type Copy = readonly (readonly [name: string, dump: Buffer])[]

/** A connection that takes bytes as they are. */
export async function plainClient(url: string): Promise<Client> {
  const location = parseLocation(url)
  return (await loadDriver(location))(location.hosts[0], () => {})
}

export async function copyOf(client: Client, prefix: string): Promise<Copy> {
  const keys = await keysOf(client, prefix)
  const dumps = (await client.send(["EVAL", dumpAll, `${keys.length}`, ...keys])) as Buffer[]
  return keys.map((key, i) => [key.slice(prefix.length), dumps[i] as Buffer])
}

/** In one step, so that there is no moment at which it is half there. */
export async function putAt(client: Client, prefix: string, copy: Copy): Promise<void> {
  const keys = copy.map(([name]) => prefix + name)
  await client.send(["EVAL", restoreAll, `${keys.length}`, ...keys, ...copy.map(([, dump]) => dump)])
}

/** Every key with everything in it, a line each. */
export async function contentOf(client: Client, prefix: string): Promise<string> {
  const keys = await keysOf(client, prefix)
  const lines = (await client.send(["EVAL", tellAll, `${keys.length}`, ...keys])) as Buffer[]
  return lines.map((line, i) => `${keys[i]?.slice(prefix.length)} ${line.toString("latin1")}`).join("\n")
}

async function keysOf(client: Client, prefix: string): Promise<string[]> {
  return ((await client.send(["KEYS", `${prefix}:*`])) as Buffer[]).map(String).sort()
}

const dumpAll = "local found = {} for i, key in ipairs(KEYS) do found[i] = redis.call('DUMP', key) end return found"
const restoreAll = "for i, key in ipairs(KEYS) do redis.call('RESTORE', key, 0, ARGV[i]) end"
const tellAll = `
local function pairsOf(list)
  local found = {}
  for i = 1, #list, 2 do found[#found + 1] = string.format('%q=%q', list[i], list[i + 1]) end
  table.sort(found)
  return found
end
local read = {
  hash = function(key) return pairsOf(redis.call('HGETALL', key)) end,
  zset = function(key) return pairsOf(redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')) end,
  set = function(key) local found = redis.call('SMEMBERS', key) table.sort(found) return found end,
  list = function(key) return redis.call('LRANGE', key, 0, -1) end,
}
local lines = {}
for i, key in ipairs(KEYS) do
  local type = redis.call('TYPE', key).ok
  lines[i] = type .. ' ' .. table.concat(read[type](key), ' ')
end
return lines`
