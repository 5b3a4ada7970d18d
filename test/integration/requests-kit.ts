// What the tests of answers share: a task that asks once, a queue whose other side answers as it is told, and how long a gate is closed.

import { ok } from "node:assert/strict"
import { type AnyTask, defineLimit, defineTask } from "../../src/index.ts"
import type { TestQueue, TestQueueOptions } from "../../src/testing/index.ts"
import { OtherSide, type Script } from "../unit/worker/other-side.ts"

export const url = "http://other.test"
export const api = defineLimit("api", { rate: "100/1s", provider: "sliding" })

/** One request to the path that it is given. */
export const call = defineTask("call", {
  limits: [api],
  run: async (path: string, context) => (await context.fetch(`${url}/${path}`)).status,
})

export async function closedForMs(queue: TestQueue, limit = "api"): Promise<number> {
  const [gate] = (await queue.limits.gates(limit)).gates
  return gate?.cooldown ? gate.cooldown.until.getTime() - queue.world.wallMs() : 0
}

export async function taskOf(queue: TestQueue, { id }: { readonly id: string }) {
  const task = await queue.get(id)
  ok(task)
  return task
}

export type Open = (tasks: readonly AnyTask[], options?: Omit<TestQueueOptions, "store">) => Promise<TestQueue>

/** A queue whose other side answers so, and no task of which has been started. */
export async function start(open: Open, answers: readonly Script[], tasks: readonly AnyTask[] = [call], concurrency = 1) {
  const other = new OtherSide(...answers)
  return { other, queue: await open(tasks, { world: other.world, worker: { concurrency } }) }
}
