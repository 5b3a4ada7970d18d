// Stored keys that were damaged: whatever stands in them, every operation answers, or refuses with an error that names what is damaged.
// The server lives on, no step goes on for ever, and no other task is ended or lost over it.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import type { ErrorCode } from "../../src/errors/index.ts"
import type { Store } from "../../src/store/contract.ts"
import { open } from "../../src/stores/redis/index.ts"
import { storedStatuses } from "../../src/stores/redis/layout.ts"
import { everything } from "../../src/testing/conformance/desk.ts"
import { runs } from "../property/runs.ts"
import { packAll, unpackAll } from "./message-pack.ts"
import { BoundedWorld, movedIds, operate } from "./operate.ts"
import { type DamagedKey, damageKey, keyDamage } from "./redis-damage.ts"
import { makeFullRedis } from "./redis-full.ts"
import { assertRefusal } from "./refusal.ts"

const full = await makeFullRedis()
const ofJob = new Set(await tasksOfJob())
const ended = new Set(["completed", "failed", "cancelled", "expired", "archived"])

async function tasksOfJob(): Promise<string[]> {
  const store = await open({ url: full.url, namespace: "default", world: new BoundedWorld({ startMs: full.nowMs }) })
  const { tasks } = await store.list({ ...everything, jobId: full.ids.job ?? "" })
  await store.close()
  return tasks.map(({ id }) => id)
}

/** Runs everything on the keys as they are, and gives the statuses that are there then. */
async function survive(codes: readonly ErrorCode[]): Promise<Map<string, string | undefined>> {
  const world = new BoundedWorld({ startMs: full.nowMs })
  let store: Store | null = null
  try {
    store = await open({ url: full.url, namespace: "default", world })
    await operate(store, full, codes)
  } catch (error) {
    if (store) throw error
    assertRefusal(error, codes)
  } finally {
    await store?.close()
  }
  assert.equal(world.armedTimers, 0, "a timer was left behind")
  return statuses()
}

async function statuses(): Promise<Map<string, string | undefined>> {
  if (String(await full.client.send(["TYPE", `${full.base}tasks`])) !== "hash") return new Map()
  const pairs = (await full.client.send(["HGETALL", `${full.base}tasks`])) as Buffer[]
  const found = new Map<string, string | undefined>()
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const live = unpackAll(pairs[i + 1] as Buffer)?.[0]
    found.set(String(pairs[i]), Array.isArray(live) ? storedStatuses[live[0] as number] : undefined)
  }
  return found
}

/** Every other task is there, and has ended only if it had. */
function nobodySuffers(found: ReadonlyMap<string, string | undefined>, { key, element }: DamagedKey): void {
  // Time itself, or all of the tasks: there is nobody else.
  if (key === "meta" || (key === "tasks" && element === "")) return
  for (const [id, before] of full.statuses) {
    if (key === "tasks" && id === element) continue
    const now = found.get(id)
    assert.ok(now !== undefined, `task ${id} was lost`)
    if (movedIds(full).has(id)) continue
    if (ended.has(before)) assert.equal(now, before, `task ${id}`)
    // A job that says it was ended takes its tasks along.
    if (key === "jobs" && ofJob.has(id)) continue
    // Only one of those that wait is past its expiry.
    if (before === "pending" && id !== full.ids.overdue) assert.ok(!ended.has(now), `task ${id} is ${now}`)
  }
}

describe("fuzz: stored keys of Redis", () => {
  it("that are read and packed again are the same, so that damage to one value is no more than that", async () => {
    await full.putBack()
    for (const key of ["tasks", "gates", "lanes", "limits", "jobs", "schedules", "calls"]) {
      for (const value of (await full.client.send(["HVALS", full.base + key])) as Buffer[]) {
        const values = unpackAll(value)
        assert.ok(values, `expected a record in ${key}, got ${value.toString("hex")}`)
        assert.equal(packAll(values).toString("hex"), value.toString("hex"), key)
      }
    }
  })

  it("that are sound survive everything, so that what follows means something", async () => {
    await full.putBack()
    nobodySuffers(await full.survives(() => survive([])), { key: "none", element: "", what: "" })
  })

  it("with one that is damaged: an answer or a typed error, and nobody else suffers", async () => {
    await fc.assert(
      fc.asyncProperty(keyDamage, async (one) => {
        await full.putBack()
        const damaged = await damageKey(full.client, full.base, one)
        if (!damaged) return
        try {
          nobodySuffers(await full.survives(() => survive(["store_damaged", "schema_too_new", "data_lost"])), damaged)
        } catch (error) {
          throw new Error(`${JSON.stringify(damaged)}: ${(error as Error).message}`, { cause: error })
        }
      }),
      { numRuns: runs(60) },
    )
  })
})
