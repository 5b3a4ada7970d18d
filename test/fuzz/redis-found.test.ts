// What fuzzing the keys of Redis has found, each as a case of its own: what was damaged, and what a user gets instead of a loop, an error
// that means something else, or a broken promise.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { open } from "../../src/stores/redis/index.ts"
import { Desk } from "../../src/testing/conformance/desk.ts"
import { packAll, unpackAll } from "./message-pack.ts"
import { BoundedWorld } from "./operate.ts"
import { makeFullRedis } from "./redis-full.ts"

const full = await makeFullRedis()
const id = (name: string) => ({ id: full.ids[name] ?? "" })
const call = { types: [{ type: "call", room: 9 }] }

const world = () => new BoundedWorld({ startMs: full.nowMs })
const opened = () => open({ url: full.url, namespace: "default", world: world() })

async function numberOf(name: string): Promise<number> {
  const store = await opened()
  const { seq } = await new Desk(store, world()).get(id(name))
  await store.close()
  return seq
}

/** The keys without their prefix. */
const send = (command: string, key: string, ...values: (string | Buffer)[]) => full.client.send([command, full.base + key, ...values])

async function withDamage(damage: () => Promise<unknown>, test: (desk: Desk) => Promise<void>): Promise<void> {
  await full.putBack()
  await damage()
  const store = await opened()
  try {
    await full.survives(() => test(new Desk(store, world())))
  } finally {
    await store.close()
  }
}

/** A record with something else in it. */
async function repacked(key: string, field: string, change: (values: unknown[]) => void): Promise<void> {
  const values = unpackAll((await send("HGET", key, field)) as Buffer) ?? []
  change(values)
  await send("HSET", key, field, packAll(values))
}

function refuses(asked: Promise<unknown>, message: RegExp): Promise<void> {
  return assert.rejects(asked, { code: "store_damaged", retryable: false, message })
}

describe("found by fuzzing the keys of Redis", () => {
  it("a due time that names no gate does not have workers look for ever", () =>
    withDamage(
      () => send("ZADD", "dues:call", "1", "nobody"),
      (desk) =>
        refuses(desk.worker("worker-9").claim(call), /a gate \(in sluice:\{default\}:dues:call\): expected its number, got "nobody"/),
    ))

  it("flows whose records were lost stand nowhere twice: nothing is handed out twice", () =>
    withDamage(
      () => send("DEL", "flows"),
      async (desk) => {
        await refuses(desk.worker("worker-9").claim(), /flow "\w+" \(in .*flows\): expected to stand at gate 0 as it does, got/)
      },
    ))

  it("a lane that stands elsewhere than it says is not told to move for ever", () =>
    withDamage(
      () => repacked("lanes", "5", ([lane]) => void (lane as unknown[]).splice(3, 1, 0)),
      (desk) => refuses(desk.change("counted", { kind: "reset" }), /lane 5 \(in .*lanes\): expected to stand at gate \d as it does, got/),
    ))

  it("a gate under another number is not looked for where nobody is", () =>
    withDamage(
      () => repacked("gates", "counted/k2", (values) => void values.splice(0, 1, 99)),
      async (desk) => {
        await desk.change("counted", { kind: "reset" })
        await refuses(desk.worker("worker-9").claim(call), /gate "counted\/k2" \(in .*gates\): expected number 3, got 99/)
      },
    ))

  it("a task whose record was lost is not due for ever", async () => {
    const seq = await numberOf("due")
    await withDamage(
      () => send("HDEL", "tasks", full.ids.due ?? ""),
      (desk) =>
        refuses(desk.worker("worker-9").claim(), new RegExp(`task number ${seq} \\(in .*due:mail\\): expected its record, which an index`)),
    )
  })

  it("a task that an index has expire earlier than it says does not", async () => {
    const member = `${1e15 + (await numberOf("scheduled"))}`
    await withDamage(
      () => send("ZADD", "expiries", "-inf", member),
      async (desk) => {
        assert.equal((await desk.sweep()).expired, 1)
        assert.equal(await desk.status(id("scheduled")), "pending")
        const { expiresAtMs } = await desk.get(id("scheduled"))
        assert.equal(Number(await send("ZSCORE", "expiries", member)), expiresAtMs)
      },
    )
  })

  it("a task that has ended and is due by an index stays as it is", async () => {
    const member = `${1e15 + (await numberOf("done"))}`
    await withDamage(
      () => send("ZADD", "due:mail", "1", member),
      async (desk) => {
        assert.ok((await desk.worker("worker-9").claim()).length > 0)
        assert.equal(await desk.status(id("done")), "completed")
        assert.equal(await send("ZSCORE", "due:mail", member), null)
      },
    )
  })

  it("a time that no clock shows is told as damage, not as a connection that broke", async () => {
    const member = `${1e15 + (await numberOf("scheduled"))}`
    await withDamage(
      () => send("ZADD", "due:mail", "+inf", member),
      async (desk) => {
        const worker = desk.worker("worker-9")
        await refuses(
          worker.exchange({ claim: { number: 1, types: [{ type: "mail", room: 1 }], max: 1 } }),
          /expected what was written there/,
        )
      },
    )
  })

  it("a key of another type is told by its name", () =>
    withDamage(
      async () => {
        await send("DEL", "counts")
        await send("RPUSH", "counts", "1")
      },
      (desk) => refuses(desk.counts(), /^redis .*: sluice:\{default\}:counts: expected what was written there, .*WRONGTYPE/),
    ))

  it("a task that a step fails on is told by its id", () =>
    withDamage(
      () => repacked("tasks", full.ids.first ?? "", ([live]) => void (live as unknown[]).splice(5, 1, "soon")),
      (desk) => refuses(desk.worker("worker-9").claim(), new RegExp(`task "${full.ids.first}" \\(in sluice:\\{default\\}:`)),
    ))

  it("a task with a number that nobody wrote is told by its id, and keeps the sweep from no other", () =>
    withDamage(
      () => repacked("tasks", full.ids.running ?? "", ([live]) => void (live as unknown[]).splice(15, 1, 2 ** 60)),
      async (desk) => {
        await refuses(
          desk.get(id("running")),
          new RegExp(`task "${full.ids.running}": expected a whole number instead of 1152921504606847000`),
        )
        assert.equal((await desk.sweep()).rescued, 1)
        assert.equal(await desk.status(id("lost")), "pending")
      },
    ))

  it("a holder without its end still holds: the gate is refused, and nothing passes in its place", () =>
    withDamage(
      () =>
        repacked("gates", "vendor/k1", (values) => {
          const [id, fence, slots] = unpackAll(values[12] as Buffer) ?? []
          values[12] = packAll([id, fence, slots, Number.NaN])
        }),
      (desk) => refuses(desk.gate("vendor", "k1"), /"vendor\/k1" \(in .*gates\): expected a gate, got/),
    ))

  it("a gate whose holders were lost is refused, and nothing passes in their place", () =>
    withDamage(
      () => repacked("gates", "vendor/k1", (values) => void values.splice(12, 1, false)),
      (desk) => refuses(desk.gate("vendor", "k1"), /"vendor\/k1" \(in .*gates\): expected a gate, got/),
    ))

  it("tasks without what was known of them are not taken for a new beginning", async () => {
    await full.putBack()
    await send("DEL", "meta")
    await refuses(opened(), /epoch \(in sluice:\{default\}:meta\): expected that of the tasks, got none/)
  })

  it("the clock of the next century is refused: nothing expires by it", async () => {
    await full.putBack()
    await send("HINCRBY", "meta", "clock", "4398046511104")
    await refuses(opened(), /the clock \(in .*meta\): expected a time of this century, got/)
  })
})
