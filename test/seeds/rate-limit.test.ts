// The third seed: a window with a reservoir for each group, delayed tasks, and the estimated time of their start. Its example is
// Discord's: ten role updates in ten seconds for each guild.

import { deepEqual, equal, ok } from "node:assert/strict"
import { it } from "node:test"
import { defineLimit, defineTask } from "../../src/index.ts"
import type { TestQueue } from "../../src/testing/index.ts"
import { onServersToo } from "./stores.ts"

const reservoir = 10
const windowMs = 10_000

/** As the seed counts: aligned windows. A guard would only move the figures. */
const roles = defineLimit("discord-roles", { rate: { limit: reservoir, per: "10s", provider: "fixed", guard: 0 } })

interface RoleUpdate {
  readonly guild: string
  readonly member: number
}

/** A task that notes when it ran. */
function roleTask() {
  const ran: { guild: string; member: number; atMs: number }[] = []
  const task = defineTask("add-role", {
    limits: ({ guild }: RoleUpdate) => [roles(guild)],
    run: ({ guild, member }: RoleUpdate, { queue }) => {
      ran.push({ guild, member, atMs: queue.world.wallMs() })
    },
  })
  return { task, ran }
}

const updates = (guild: string, count: number): RoleUpdate[] => Array.from({ length: count }, (_, member) => ({ guild, member }))

/** The seed's own formula. */
function readyAtMs(nowMs: number, waiting: number): number {
  const nextWindowStart = (Math.floor(nowMs / windowMs) + 1) * windowMs
  return nextWindowStart + Math.floor(waiting / reservoir) * windowMs
}

async function nowMs(queue: TestQueue): Promise<number> {
  return (await queue.now()).getTime()
}

onServersToo("the rate limit seed", (open) => {
  it("runs at once what fits into the window, and the rest in the windows that were estimated", async () => {
    const { task, ran } = roleTask()
    const queue = await open([task], { worker: { concurrency: 100 } })
    await queue.advance("3s")
    const startMs = await nowMs(queue)
    const submitted = await queue.submitMany(task, updates("guild-1", 35))
    const estimated = submitted.map(({ estimatedStartAt }) => estimatedStartAt?.getTime())
    deepEqual(
      estimated,
      submitted.map((_, i) => (i < reservoir ? startMs : readyAtMs(startMs, i - reservoir))),
    )
    await queue.advance("40s")
    deepEqual(
      ran.map(({ atMs }) => atMs),
      estimated,
    )
  })

  it("keeps a window and a delay for each guild", async () => {
    const { task, ran } = roleTask()
    const queue = await open([task], { worker: { concurrency: 100 } })
    await queue.submitMany(task, updates("guild-1", 25))
    const [other] = await queue.submitMany(task, updates("guild-2", 1))
    equal(other?.forecast?.basis, "now")
    await queue.advance(0)
    equal(ran.filter(({ guild }) => guild === "guild-1").length, reservoir)
    equal(ran.filter(({ guild }) => guild === "guild-2").length, 1)
  })

  it("lets no new arrival take the place of one that is delayed", async () => {
    const { task, ran } = roleTask()
    const queue = await open([task], { worker: { concurrency: 100 } })
    await queue.submitMany(task, updates("guild-1", 20))
    await queue.advance("5s")
    await queue.submitMany(
      task,
      updates("guild-1", 5).map((update) => ({ ...update, member: update.member + 100 })),
    )
    await queue.advance("30s")
    const members = ran.map(({ member }) => member)
    deepEqual(members, [...Array(20).keys(), 100, 101, 102, 103, 104])
  })

  it("counts who waits from who waits: nothing drifts when tasks are cancelled, expire or are refused again and again", async () => {
    const { task } = roleTask()
    const queue = await open([task], { worker: { concurrency: 100 } })
    const waiting = await queue.submitMany(task, updates("guild-1", 40), { ttl: "15s" })
    for (const { id } of waiting.slice(20, 30)) await queue.cancel(id)
    await queue.advance("1m")
    const idle = await queue.limits.gates("discord-roles", { key: "guild-1" })
    equal(idle.gates[0]?.waitingTasks, 0)
    const fresh = await queue.submit(task, { guild: "guild-1", member: 1 })
    deepEqual(fresh.estimatedStartAt, await queue.now())
  })

  it("warns at submission when the task will expire first, and explains what it waits for", async () => {
    const { task } = roleTask()
    const queue = await open([task], { worker: { concurrency: 100 } })
    await queue.submitMany(task, updates("guild-1", 30))
    const late = await queue.submit(task, { guild: "guild-1", member: 99 }, { ttl: "15s" })
    ok(late.warning?.includes("expire"), `expected a warning, got ${late.warning}`)
    const explained = await queue.explain(late.id)
    equal(explained.heldBy, "discord-roles/guild-1")
    equal(explained.expiresFirst, true)
  })
})
