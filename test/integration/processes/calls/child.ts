// A process under load: several at once ask the limit for a slot again and again, hold it for a moment, and write down when they came and
// went. All processes of a machine share its monotonic clock.

import { appendFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { defineLimit } from "../../../../src/index.ts"
import { callsSettings } from "../../../../src/queue/calls/index.ts"
import { Queue } from "../../../../src/queue/index.ts"
import { systemWorld } from "../../../../src/world/index.ts"
import { wiredStore } from "./wire.ts"

const [port = "", name = "", file = "", workers = "", lease = ""] = process.argv.slice(2)
const api = defineLimit("vendor-api", { concurrency: 5 })
const settings = callsSettings({ lease, wait: "60s", fallback: "share", fallbackFor: "2m" }, {})
const queue = new Queue(wiredStore(Number(port)), systemWorld, 1_000_000, settings)
const limit = queue.limit(api)

const nowMs = () => Number(process.hrtime.bigint() / 1_000n) / 1_000
/** One write each, at the moment: what is in a buffer is lost with the process, and comes late. */
const tell = (event: string, fields: object = {}) => appendFileSync(file, `${JSON.stringify({ name, event, atMs: nowMs(), ...fields })}\n`)

queue.on("limit.detached", ({ slots }) => tell("detached", { slots }))
queue.on("limit.attached", () => tell("attached"))
queue.on("limit.lost", ({ id }) => tell("lost", { id }))

let isOver = false
async function work(): Promise<void> {
  while (!isOver) {
    try {
      const before = limit.stats().underShare
      await limit.run(async ({ signal }) => {
        tell("enter", { isUnderShare: limit.stats().underShare > before })
        await sleep(20 + Math.random() * 60, null, { signal }).catch(() => {})
        tell("leave")
      })
    } catch {
      await sleep(20)
    }
  }
}

process.on("SIGTERM", () => {
  isOver = true
})
process.stdout.write("ready\n")
await Promise.all(Array.from({ length: Number(workers) }, work))
await queue.close()
