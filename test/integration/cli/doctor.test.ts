// sluice doctor: what it shows, and what it warns of.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { CommandLine } from "./command-line.ts"
import { callApi, limitedLine } from "./limited-line.ts"

interface Diagnosis {
  readonly store: string
  readonly url: string
  readonly namespace: string
  readonly durability: string
  readonly facts: Readonly<Record<string, unknown>>
  readonly checks: readonly { readonly result: string; readonly message: string }[]
}

async function warnings(line: CommandLine): Promise<string[]> {
  const { checks } = (await line.sluice("doctor", "--json")).json() as Diagnosis
  return checks.filter(({ result }) => result === "warn").map(({ message }) => message)
}

describe("sluice doctor", () => {
  it("shows the store, its settings and facts, the runtime, and how it is", async () => {
    const line = new CommandLine()
    const { stdout, exitCode } = await line.sluice("doctor")
    assert.equal(exitCode, 0)
    for (const pattern of [
      /^store +memory$/m,
      /^url +memory:cli-\d+$/m,
      /^namespace +default$/m,
      /^durability +none: everything is gone/m,
      /^tasks +0$/m,
      /^sluice +\d+\.\d+\.\d+$/m,
      new RegExp(`^node +${process.versions.node}$`, "m"),
      /^ok {4}the store answers/m,
      /^warn {2}tasks are gone when this process ends/m,
    ]) {
      assert.match(stdout, pattern)
    }
  })

  it("has the same in its document, every fact of the store included", async () => {
    const line = new CommandLine()
    const document = (await line.sluice("doctor", "--json")).json() as Diagnosis
    const { kind, namespace, durability, facts } = await (await line.queue()).describe()
    assert.deepEqual([document.store, document.namespace, document.durability, document.facts], [kind, namespace, durability, facts])
    assert.equal(document.url, line.storeUrl)
  })

  it("warns of due tasks that nobody takes, overdue ones, lost leases and failures, and not before", async () => {
    const world = new VirtualWorld()
    const line = new CommandLine({ world })
    await line.declare("lost")
    await line.submit("-t", "left")
    await line.submit("-t", "late", "--ttl", "30s")
    await line.submit("-t", "future", "--delay", "1h")
    const lost = await line.submit("-t", "lost")
    const { store } = await line.queue()
    const claim = { number: 1, types: [{ type: "lost", room: 1 }], max: 1 }
    await store.exchange({ workerId: "gone", settles: [], heartbeats: [], leaseMs: 30_000, claim })
    assert.equal((await warnings(line)).length, 1, "the memory store itself")

    await world.advance(61_000)
    const [, ...found] = await warnings(line)
    assert.deepEqual(found, [
      "1 task is due for more than 1m (left): start workers that run these types, or more of them; no live worker handles left; did you mean lost?",
      "1 task is pending past the expiry: a worker's sweep expires them, or run sluice sweep",
      "1 task is running with a lease that ended (gone): a worker's sweep gives them back, or run sluice sweep",
    ])

    const outcome = { kind: "failed", error: "no" } as const
    const failed = { id: lost, fence: 1, outcome, spent: [], sentAgoMs: null, respondedAgoMs: null, rttMs: null }
    await store.exchange({ workerId: "gone", settles: [failed], heartbeats: [], leaseMs: 30_000, claim: null })
    await line.sluice("sweep")
    assert.deepEqual((await warnings(line)).slice(2), ["1 task has failed: see sluice list --status failed"])
  })

  it("does not call neglected what a gate holds, until nobody takes it when the gate is open", async () => {
    const { line, world, queue } = await limitedLine()
    // More than it asks forecasts for: those that could start are the oldest.
    await queue.submitMany(callApi, Array(120).fill({ host: "host-1" }))
    const neglected = async () => (await warnings(line)).filter((message) => message.includes("due for more than"))
    await line.sluice("limits", "pause", "vendor-api")
    await world.advance(120_000)
    assert.deepEqual(await neglected(), [])
    await line.sluice("limits", "resume", "vendor-api")
    assert.match((await neglected()).join(), /due for more than 1m \(call_api\)/)
  })

  it("warns of a store whose clock is off", async () => {
    const world = new VirtualWorld()
    const line = new CommandLine({ world })
    await line.submit("-t", "x")
    // The store never goes back: behind the time it has seen, it is ahead of a machine that does.
    world.stepClock(-3_600_000)
    assert.ok((await warnings(line)).some((message) => /^the store's clock is (59m 59s|1h) ahead of this machine's/.test(message)))
  })
})
