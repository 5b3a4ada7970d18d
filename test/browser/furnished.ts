// A queue with something on every page of the dashboard.

import type { TestContext } from "node:test"
import type { Browser, BrowserContextOptions } from "playwright-core"
import { defineLimit, defineTask, type Queue } from "../../src/queue/index.ts"
import { type Desk, openDesk } from "./desk.ts"
import { Held } from "./held.ts"

const vendor = defineLimit("vendor", { rate: "2/1h", concurrency: 5, adaptive: { preset: "linear", step: "1s" } })
const fail = defineTask("fail", { maxRetries: 0, run: () => Promise.reject(new Error("it did not work")) })

/** Nobody submits these: a worker handles many types. */
const others = ["thumbnail", "translate", "send_reminder", "a_rather_long_name_of_a_type"].map((type) =>
  defineTask(type, { run: () => {} }),
)

function callWith(held: Held) {
  return defineTask("call", { limits: ({ host }: { host: string }) => [vendor(host)], maxRetries: 0, run: ({ host }) => held.run(host) })
}

export interface Furnished {
  readonly desk: Desk
  /** The pages, by what stands behind the #. */
  readonly pages: readonly string[]
}

export async function openFurnished(test: TestContext, browser: Browser, context: BrowserContextOptions = {}): Promise<Furnished> {
  const held = new Held()
  const call = callWith(held)
  const desk = await openDesk(test, browser, { tasks: [call, fail, ...others], held, context })
  return { desk, pages: await furnish(desk.queue, call) }
}

async function furnish(queue: Queue, call: ReturnType<typeof callWith>): Promise<readonly string[]> {
  const hosts = ["a", "a", "a", "b.a-rather-long-host-name.example.com"]
  const [, , waiting] = await queue.submitMany(
    call,
    hosts.map((host) => ({ host })),
  )
  const failed = await queue.submit(fail, { why: "x".repeat(200) }, { tags: ["tenant-7"] })
  const job = await queue.submitJob("nightly-summaries", [{ task: call, input: { host: "b" } }], { concurrency: 2 })
  await queue.schedule("hourly", "0 * * * *", {}, fail, {})
  await queue.limits.pause("vendor", { key: "b" })
  const lists = ["#/", "#/limits", "#/limits/vendor", "#/tasks", "#/jobs", "#/schedules", "#/workers"]
  return [...lists, `#/tasks/${waiting?.id}`, `#/tasks/${failed.id}`, `#/jobs/${job.id}`]
}

/** A page is there when it has more than its heading. */
export async function openPage(desk: Desk, hash: string): Promise<void> {
  await desk.show(hash)
  await desk.page.locator("main .panel").first().waitFor()
}
