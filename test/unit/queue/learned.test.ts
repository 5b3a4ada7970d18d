// What gates have learned, as people see, set, forget and carry it.

import { deepEqual, equal, ok, rejects } from "node:assert/strict"
import { describe, it } from "node:test"
import { connect, defineLimit, defineTask, type LearnedExport, type Queue } from "../../../src/index.ts"
import { completed, said, throttled } from "../../../src/testing/conformance/outcomes.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"

const run = () => null
const crawl = defineLimit("crawl", { adaptive: { preset: "linear", max: "30s" }, concurrency: 10 })
const vendor = defineLimit("vendor", { adaptive: { start: "2/s", max: "100/s" } })
const plain = defineLimit("plain", { rate: "10/10s" })
const page = defineTask("page", { limits: (host: string) => [crawl(host)], run })
const call = defineTask("call", { limits: [vendor], run })
const other = defineTask("other", { limits: [plain], run })

let made = 0

class Site {
  readonly world = new VirtualWorld()
  readonly queue: Queue
  private claims = 0

  constructor(queue: Queue, world: VirtualWorld) {
    this.queue = queue
    this.world = world
  }

  static async open(): Promise<Site> {
    const world = new VirtualWorld()
    const queue = await connect(`memory:learned-${made++}`, { world })
    await queue.submitMany(page, ["a", "b", "c"])
    await queue.submitMany(call, [{}, {}, {}])
    await queue.submit(other, {})
    return new Site(queue, world)
  }

  /** Runs what may start, and says how it ended. */
  async run(type: string, outcome = throttled(0, 429)): Promise<void> {
    const { store } = this.queue
    const claim = { number: ++this.claims, types: [{ type, room: 1 }], max: 1 }
    const { claimed } = await store.exchange({ workerId: "w", settles: [], heartbeats: [], leaseMs: 30_000, claim })
    equal(claimed.length, 1)
    await store.exchange({
      workerId: "w",
      settles: claimed.map((task) => said(task, outcome)),
      heartbeats: [],
      leaseMs: 30_000,
      claim: null,
    })
  }

  async learned(limit: string, key = "") {
    return (await this.queue.limits.gates(limit, { key })).gates[0]?.learned
  }

  async exported(limit: string): Promise<LearnedExport[]> {
    const found: LearnedExport[] = []
    for await (const one of this.queue.limits.exportLearned(limit)) found.push(one)
    return found
  }
}

const unlearned = {
  preset: "linear",
  everyMs: null,
  slots: 10,
  errorStreak: 0,
  successStreak: 0,
  adaptiveDelayMs: 0,
  delayFloorMs: 0,
  nextAvailable: null,
  lastSuccess: null,
  version: 0,
}

describe("what a gate has learned", () => {
  it("has the fields of the seed, before and after", async () => {
    const site = await Site.open()
    deepEqual(await site.learned("crawl", "a"), unlearned)
    await site.run("page")
    const nextAvailable = new Date(site.world.wallMs() + 1_500)
    deepEqual(await site.learned("crawl", "a"), {
      ...unlearned,
      everyMs: 1_500,
      errorStreak: 1,
      adaptiveDelayMs: 1_500,
      nextAvailable,
      version: 1,
    })
    await site.world.advance(1_500)
    await site.queue.limits.teach("crawl", { floor: "1s" }, { key: "a" })
    const after = await site.learned("crawl", "a")
    deepEqual([after?.delayFloorMs, after?.nextAvailable, after?.version], [1_000, null, 2])
  })

  it("is there for a limit that looks for its pace, and for none that learns nothing", async () => {
    const site = await Site.open()
    await site.run("call", completed())
    const sentAt = new Date(site.world.wallMs())
    const { preset, everyMs, errorStreak, successStreak, adaptiveDelayMs, lastSuccess } = (await site.learned("vendor")) ?? unlearned
    deepEqual([preset, everyMs, adaptiveDelayMs, errorStreak, successStreak, lastSuccess], ["scout", 500, 500, 0, 1, sentAt])
    equal(await site.learned("plain"), null)
  })

  it("of one whose first request was refused tells of no success", async () => {
    const site = await Site.open()
    await site.run("call")
    const { errorStreak, successStreak, lastSuccess } = (await site.learned("vendor")) ?? unlearned
    deepEqual([errorStreak, successStreak, lastSuccess], [1, 0, null])
  })
})

describe("queue.limits.teach", () => {
  it("tells a gate that learns by linear its distance and its floor", async () => {
    const { queue, ...site } = await Site.open().then((one) => ({ queue: one.queue, learned: (key: string) => one.learned("crawl", key) }))
    await queue.limits.teach("crawl", { delay: "11s", floor: "2s" }, { key: "a", by: "ada" })
    const after = await site.learned("a")
    deepEqual([after?.everyMs, after?.adaptiveDelayMs, after?.delayFloorMs, after?.slots], [11_000, 11_000, 2_000, 8])
    deepEqual(await site.learned("b"), unlearned)
    equal((await queue.limits.history({ count: 1 }))[0]?.text, "crawl/a: told a start every 11s, 8 at once, by ada")
  })

  it("tells a gate that learns by scout its pace, which the next answers do not undo", async () => {
    const site = await Site.open()
    await site.queue.limits.teach("vendor", { rate: "4/s" })
    equal((await site.learned("vendor"))?.everyMs, 250)
    for (let i = 0; i < 3; i++) {
      await site.run("call", completed())
      equal((await site.learned("vendor"))?.everyMs, 250)
      await site.world.advance(1_000)
    }
  })

  it("tells it anew where the gate learns at the same time", async () => {
    const site = await Site.open()
    const { store } = site.queue
    const gates = store.gates.bind(store)
    let looks = 0
    store.gates = async (request) => {
      const answer = await gates(request)
      if (looks++ === 0) await site.run("page")
      return answer
    }
    await site.queue.limits.teach("crawl", { delay: "5s" }, { key: "a" })
    const after = await site.learned("crawl", "a")
    deepEqual([after?.adaptiveDelayMs, after?.errorStreak, after?.version], [5_000, 1, 2])
    ok(looks > 1)
  })

  it("refuses what the gate could not heed", async () => {
    const { queue } = await Site.open()
    for (const [limit, what, message] of [
      ["crawl", { rate: "5/s" }, 'limits.teach "crawl": expected delay or floor, because the limit learns by "linear"'],
      ["crawl", {}, 'limits.teach "crawl": expected delay or floor, because the limit learns by "linear"'],
      ["crawl", { delay: "31s" }, 'limits.teach "crawl": delay: expected at most 30s, the max of the limit, got 31s'],
      ["crawl", { floor: "1m" }, 'limits.teach "crawl": floor: expected at most 30s, the max of the limit, got 1m'],
      ["crawl", { delay: "1s", floor: "2s" }, 'limits.teach "crawl": floor: expected at most the delay of 1s, got 2s'],
      ["vendor", { delay: "1s" }, 'limits.teach "vendor": expected rate, such as "5/s", because the limit learns by "scout"'],
      ["vendor", { rate: "1/s", floor: "1s" }, 'limits.teach "vendor": expected rate, such as "5/s", because the limit learns by "scout"'],
      [
        "vendor",
        { rate: "101/s" },
        'limits.teach "vendor": rate: expected a pace from 1/1h to 100/s, the min and max of the limit, got "101/s"',
      ],
      ["plain", { rate: "5/s" }, 'limits.teach "plain": expected a limit with adaptive: true, got one that learns nothing'],
    ] as const) {
      await rejects(queue.limits.teach(limit, what, { key: "a" }), { code: "invalid_option", message })
    }
    await rejects(queue.limits.teach("nobody", { rate: "5/s" }), { code: "unknown_limit" })
  })
})

describe("queue.limits.forget", () => {
  it("forgets one gate, or all of the limit", async () => {
    const site = await Site.open()
    for (const key of ["a", "b", "c"]) await site.queue.limits.teach("crawl", { delay: "5s" }, { key })
    await site.queue.limits.forget("crawl", { key: "b" })
    deepEqual(await site.learned("crawl", "b"), unlearned)
    equal((await site.learned("crawl", "a"))?.everyMs, 5_000)
    await site.queue.limits.forget("crawl", { by: "ada" })
    for (const key of ["a", "b", "c"]) deepEqual(await site.learned("crawl", key), unlearned)
    equal((await site.queue.limits.history({ count: 1 }))[0]?.text, "crawl: what was learned is forgotten, by ada")
    await rejects(site.queue.limits.forget("nobody"), { code: "unknown_limit" })
  })
})

describe("what was learned, carried to another store", () => {
  it("is the same there", async () => {
    const [from, to] = [await Site.open(), await Site.open()]
    await from.run("page")
    await from.queue.limits.teach("crawl", { delay: "12s", floor: "1s" }, { key: "b" })
    await from.queue.limits.teach("vendor", { rate: "4/s" })
    for (const limit of ["crawl", "vendor"]) {
      // As text: it goes through files.
      for (const one of await from.exported(limit)) await to.queue.limits.importLearned(JSON.parse(JSON.stringify(one)), { by: "ada" })
    }
    deepEqual(
      (await to.exported("crawl")).map(({ key, taught }) => [key, taught.learned.linear, taught.everyUs, taught.slots]),
      (await from.exported("crawl")).map(({ key, taught }) => [key, taught.learned.linear, taught.everyUs, taught.slots]),
    )
    deepEqual(
      (await to.exported("crawl")).map(({ key, taught }) => [key, taught.slots]),
      [
        ["a", null],
        ["b", 8],
      ],
    )
    equal((await to.learned("crawl", "b"))?.slots, 8)
    equal((await to.learned("vendor"))?.everyMs, 250)
    deepEqual(await to.exported("plain"), [])
    equal((await to.queue.limits.history({ count: 1 }))[0]?.by, "ada")
  })

  it("is taken from an older version, which had fewer fields: those are as of a gate that has learned nothing", async () => {
    const [from, to] = [await Site.open(), await Site.open()]
    await from.run("page")
    const [exported] = await from.exported("crawl")
    ok(exported?.taught.learned.linear)
    const { floorMs: _floor, lastSuccessAtMs: _last, ...linear } = exported.taught.learned.linear
    const older = { ...exported, taught: { ...exported.taught, learned: { ...exported.taught.learned, linear } } }
    await to.queue.limits.importLearned(older as unknown as LearnedExport)
    const [imported] = await to.exported("crawl")
    deepEqual(imported?.taught.learned.linear, { ...exported.taught.learned.linear, floorMs: 0, lastSuccessAtMs: null })
    deepEqual((await to.learned("crawl", exported.key))?.delayFloorMs, 0)
  })

  it("is not taken by a limit that learns in another way", async () => {
    const site = await Site.open()
    await site.run("page")
    await site.run("call", completed())
    const [linear] = await site.exported("crawl")
    const [scout] = await site.exported("vendor")
    ok(linear && scout)
    for (const [exported, limit, message] of [
      [linear, "vendor", 'expected a limit that learns by "linear", as what was exported, got vendor, which learns by "scout"'],
      [scout, "crawl", 'expected a limit that learns by "scout", as what was exported, got crawl, which learns by "linear"'],
      [
        scout,
        "plain",
        'expected a limit that learns by "scout", as what was exported, got plain, which learns nothing but what refusals of its rates say',
      ],
    ] as const) {
      await rejects(site.queue.limits.importLearned({ ...exported, limit }), {
        code: "invalid_option",
        message: `limits.importLearned: ${message}`,
      })
      equal(await site.learned("plain"), null)
    }
    await rejects(site.queue.limits.importLearned({ ...linear, limit: "nobody" }), { code: "unknown_limit" })
  })

  it("is not taken from anybody who makes it up", async () => {
    const site = await Site.open()
    await site.run("page")
    const [exported] = await site.exported("crawl")
    ok(exported?.taught.learned.linear)
    const { taught } = exported
    const { learned } = taught
    const huge = Number.MAX_SAFE_INTEGER
    const wrong: readonly unknown[] = [
      null,
      "crawl",
      [],
      { limit: "crawl", key: "a" },
      { ...exported, limit: 1 },
      { ...exported, key: null },
      { ...exported, taught: { ...taught, everyUs: -1 } },
      { ...exported, taught: { ...taught, everyUs: "1" } },
      { ...exported, taught: { ...taught, slots: 0 } },
      { ...exported, taught: { ...taught, learned: { ...learned, version: -1 } } },
      { ...exported, taught: { ...taught, learned: { ...learned, linear: { ...learned.linear, delayMs: -5 } } } },
      { ...exported, taught: { ...taught, learned: { ...learned, linear: { ...learned.linear, successStreak: huge } } } },
      { ...exported, taught: { ...taught, learned: { ...learned, linear: { delayMs: "1" } } } },
      { ...exported, taught: { ...taught, learned: { ...learned, linear: { ...learned.linear, more: 1 } } } },
      { ...exported, taught: { ...taught, learned: { ...learned, costs: { page: { mean: huge, deviation: 0 } } } } },
    ]
    for (const one of wrong) {
      await rejects(site.queue.limits.importLearned(one as LearnedExport), { code: "invalid_option" }, JSON.stringify(one))
    }
    equal((await site.learned("crawl", "a"))?.version, 1)
  })
})
