// The short way means the same as the engine: random traces run through both, each in a namespace of its own, and after each step the
// answers and all that is stored are compared. SLUICE_PROPERTY_RUNS=1000 plays more.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { it, type TestContext } from "node:test"
import fc from "fast-check"
import { toWire } from "../../src/stores/redis/request.ts"
import { type Script, scriptOf } from "../../src/stores/redis/script-text.ts"
import type { RedisAdmin } from "../engines/redis-admin.ts"
import { runs } from "../property/runs.ts"
import { adminOf, freshNamespace, ownServer } from "./kit.ts"
import { type Happening, Story, story } from "./stories.ts"

const beside = (name: string) => scriptOf(readFileSync(new URL(name, import.meta.url), "utf8"), { definitions: {}, operations: {} })

/** What there is a short way for. */
const shortened = ["exchange", "submit"]

/** Everything under a prefix, in one order, whatever the server has it in. */
const dump = String.raw`
local told = {}
for _, key in ipairs(redis.call("KEYS", ARGV[1] .. "*")) do
  local kind, name, found = redis.call("TYPE", key).ok, string.sub(key, #ARGV[1] + 1), {}
  if kind == "hash" then
    local all = redis.call("HGETALL", key)
    for i = 1, #all, 2 do found[#found + 1] = all[i] .. "\0=\0" .. all[i + 1] end
  elseif kind == "zset" then
    local all = redis.call("ZRANGE", key, 0, -1, "WITHSCORES")
    for i = 1, #all, 2 do found[#found + 1] = all[i] .. "\0@\0" .. all[i + 1] end
  elseif kind == "set" then found = redis.call("SMEMBERS", key)
  else
    for i, one in ipairs(redis.call("LRANGE", key, 0, -1)) do found[i] = string.format("%06d %s", i, one) end
  end
  for _, one in ipairs(found) do
    told[#told + 1] = string.gsub(name .. " " .. one, "[^\32-\126]", function(byte) return string.format("<%02x>", string.byte(byte)) end)
  end
end
table.sort(told)
return told`

/** One namespace, and who does its steps. */
class Side {
  readonly base: string
  private readonly admin: RedisAdmin

  constructor(admin: RedisAdmin, name: string) {
    this.admin = admin
    this.base = `sluice:{${name}}:`
  }

  async step(script: Script, [operation, request]: Happening, nowMs: number): Promise<readonly string[]> {
    const epoch = operation === "open" ? "" : "epoch"
    return (await this.admin.reply(
      "FCALL",
      script.name,
      "1",
      this.base,
      operation,
      epoch,
      String(nowMs),
      toWire(operation, request),
    )) as string[]
  }

  async stored(): Promise<readonly string[]> {
    return (await this.admin.reply("EVAL", dump, "0", this.base)) as string[]
  }
}

/** Of its own: whoever opens a store removes the functions of other versions, and these are such. */
async function server(test: TestContext): Promise<RedisAdmin> {
  return adminOf(test, (await ownServer(test)).url)
}

async function load(admin: RedisAdmin, script: Script): Promise<Script> {
  await admin.reply("FUNCTION", "LOAD", "REPLACE", script.library)
  return script
}

/** Without what may differ: how many records it took to find the answer. */
function told([kind, text, ...rows]: readonly string[]): unknown {
  if (kind !== "ok") return [kind, text, ...rows]
  const { touched, ...answer } = JSON.parse(text ?? "")
  return [answer, rows]
}

it("does what the engine does, and leaves the same records", { timeout: 600_000 }, async (test) => {
  const admin = await server(test)
  const [short, engine] = [await load(admin, beside("short.lua")), await load(admin, beside("engine.lua"))]
  const seed = fc.readConfigureGlobal().seed ?? Date.now()
  const steps = new Map(shortened.map((operation) => [operation, { all: 0, short: 0 }]))
  const counted = (operation: string, isShort: boolean) => {
    const count = steps.get(operation)
    if (!count) return
    count.all++
    if (isShort) count.short++
  }
  for (let run = 0, left = runs(60); run < left; run++) {
    const [happenings] = fc.sample(story, { numRuns: 1, seed: seed + run })
    const [ours, theirs] = [new Side(admin, freshNamespace()), new Side(admin, freshNamespace())]
    const played = new Story(happenings ?? [])
    for (let next = played.next(); next; next = played.next()) {
      const why = `seed ${seed + run}, step ${played.steps}: ${JSON.stringify(played.latest).slice(0, 2_000)}`
      const expected = await theirs.step(engine, next, played.nowMs)
      const tried = shortened.includes(next[0]) ? await ours.step(short, next, played.nowMs) : ["declined"]
      const isShort = tried[0] !== "declined"
      const got = isShort ? tried : await ours.step(engine, next, played.nowMs)
      assert.equal(expected[0], "ok", `${why}: ${expected.join(" ")}`)
      assert.deepEqual(told(got), told(expected), why)
      if (isShort || next[0] === "sweep") assert.deepEqual(await ours.stored(), await theirs.stored(), why)
      played.heard(expected)
      counted(next[0], isShort)
    }
    for (const side of [ours, theirs])
      await admin.reply("EVAL", "for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do redis.call('DEL', key) end", "0", side.base)
  }
  for (const [operation, { all, short: taken }] of steps) {
    test.diagnostic(`${operation}: ${taken} of ${all} went the short way`)
    assert.ok(taken > all / 4, `expected a good part of ${all} times ${operation} to go the short way, got ${taken}`)
  }
})

it("tells of a gate whose window was made longer what the engine does", async (test) => {
  const admin = await server(test)
  const [short, engine] = [await load(admin, beside("short.lua")), await load(admin, beside("engine.lua"))]
  const [ours, theirs] = [new Side(admin, freshNamespace()), new Side(admin, freshNamespace())]
  let nowMs = 1_700_000_000_000
  const both = async (next: Happening) => {
    const expected = await theirs.step(engine, next, nowMs)
    const tried = shortened.includes(next[0]) ? await ours.step(short, next, nowMs) : ["declined"]
    const got = tried[0] === "declined" ? await ours.step(engine, next, nowMs) : tried
    assert.deepEqual(told(got), told(expected), JSON.stringify(next))
    assert.deepEqual(await ours.stored(), await theirs.stored(), JSON.stringify(next))
    return told(expected) as readonly [{ readonly tasks?: readonly { readonly forecast: unknown }[] }, unknown]
  }
  const hello = (perMs: number): Happening => {
    const rate = { limit: 2, perUs: perMs * 1_000, provider: "sliding", burst: 2, phaseUs: 0, guardUs: 0, slackUs: 0 }
    return ["hello", { workerId: null, types: [], limits: [{ name: "vendor", policy: { rates: [rate] } }] }]
  }
  const submit = (...ids: readonly string[]): Happening => {
    const gates = [{ limit: "vendor", key: "", cost: 1 }]
    const fields = { type: "mail", input: "{}", priority: 0, tags: [], flow: "mail", gates, maxRetries: 3, timeoutMs: 60_000 }
    return ["submit", { tasks: ids.map((id) => ({ id, ...fields })) }]
  }
  await both(["open", { epoch: "epoch" }])
  await both(hello(60_000))
  await both(submit("a", "b"))
  const claim = { number: 1, max: 2, types: [{ type: "mail", room: 2 }] }
  await both(["exchange", { workerId: "w", settles: [], heartbeats: [], leaseMs: 600_000, claim }])
  // Nobody has the code any more in which a window had one minute, and the two of it would be over.
  nowMs += 100_000
  await both(hello(300_000))
  const [{ tasks }] = await both(submit("c"))
  assert.deepEqual(tasks?.[0]?.forecast, { atMs: nowMs + 200_000, latestMs: nowMs + 200_000, basis: "rate", gate: "vendor" })
})
