// Several workers over a day, in virtual time: processes are killed and others started, calls are lost on the way there or
// back. Each instant has exactly one task, and that is submitted at its time while a worker lives that can reach the store.

import { deepEqual, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { nextInstant, readTimetable } from "../../src/cron/index.ts"
import { defineTask, type Queue, type Worker } from "../../src/index.ts"
import { Queue as RealQueue } from "../../src/queue/queue.ts"
import type { Store } from "../../src/store/index.ts"
import type { Backing } from "../../src/testing/conformance/index.ts"
import { Dice } from "../../src/testing/dice.ts"
import { type Fault, faultyStore } from "../../src/testing/faulty-store.ts"
import type { VirtualWorld } from "../../src/testing/virtual-world.ts"
import type { World } from "../../src/world/index.ts"
import { PatientWorld } from "../seeds/patient-world.ts"
import { runs } from "./runs.ts"
import { memory, otherStores } from "./with-store.ts"

const tick = defineTask("tick", { run: async () => {} })
const crons = { often: "*/5 * * * *", hourly: "7 * * * *", twice: "30 2,14 * * *" } as const
/** Clocks in Vienna go forward on 2026-03-29 at 01:00 UTC. */
const startMs = Date.UTC(2026, 2, 28, 14, 2)
const timezone = "Europe/Vienna"
const hours = 24
/** SQLite looks for news of others ten times a second, which in a virtual day is a million looks: it has tests of its own. */
const { redis } = otherStores
const stores = { memory, ...(redis && { redis }) }

/** A process with its own worker. Once it is dead nothing happens in it any more. */
class Process implements World {
  isDead = false
  worker: Worker | null = null
  readonly fetch: World["fetch"]
  private readonly world: VirtualWorld

  constructor(world: VirtualWorld) {
    this.world = world
    this.fetch = world.fetch
  }

  work(queue: Queue): void {
    this.worker = queue.worker([tick], { sweep: "1h", hello: "1h" })
    void this.worker.run()
  }

  wallMs = () => this.world.wallMs()
  monotonicMs = () => this.world.monotonicMs()
  random = () => this.world.random()
  randomBytes = (count: number) => this.world.randomBytes(count)
  timer = (delayMs: number, run: () => void) => this.world.timer(delayMs, () => this.happen(run))
  turn = (run: () => void) => this.world.turn(() => this.happen(run))

  private happen(run: () => void): void {
    if (!this.isDead) run()
  }
}

class Fleet {
  readonly world = new PatientWorld({ startMs })
  private readonly backing: Backing
  private readonly dice: Dice
  private readonly lossy: number
  private readonly opened: Store[] = []
  private alive: Process[] = []

  constructor(backing: Backing, seed: number, lossy: number) {
    this.backing = backing
    this.dice = new Dice(seed)
    this.lossy = lossy
  }

  async observer(): Promise<RealQueue> {
    return new RealQueue(await this.connect(), this.world, 1_000_000)
  }

  private async connect(): Promise<Store> {
    const store = await this.backing.open({ world: this.world })
    this.opened.push(store)
    return this.world.through(store)
  }

  async close(): Promise<void> {
    for (const store of this.opened) await store.close()
    await this.backing.close()
  }

  async start(): Promise<void> {
    const process = new Process(this.world)
    const store = await this.connect()
    const decide = (): Fault | null => {
      if (process.isDead) return "hang"
      return this.dice.chance(this.lossy) ? this.dice.pick(["refuse", "lose_reply"] as const) : null
    }
    process.work(new RealQueue(faultyStore(store, decide), process, 1_000_000))
    this.alive.push(process)
  }

  /** At any moment, in the middle of whatever it does. */
  killOne(): void {
    const victim = this.dice.pick(this.alive)
    victim.isDead = true
    this.alive = this.alive.filter((process) => process !== victim)
  }

  async live(workers: number): Promise<void> {
    for (let i = 0; i < workers; i++) await this.start()
    for (let minutes = 0; minutes < hours * 60; ) {
      const pause = this.dice.between(1, 20)
      minutes += pause
      // Just after an instant has come, too: that is when they are about to fire.
      await this.world.advance(pause * 60_000 - (this.world.wallMs() % 60_000) + this.dice.pick([0, 1, 5, 30_000]))
      if (this.dice.chance(0.5)) this.killOne()
      while (this.alive.length < workers) await this.start()
    }
    await this.world.advance(61_000)
    for (const { worker } of this.alive) worker?.stop()
    await this.world.advance(60_000)
  }
}

function instantsOf(cron: string, fromMs: number, toMs: number): string[] {
  const timetable = readTimetable("test", cron, timezone)
  const found: string[] = []
  for (let at = nextInstant(timetable, fromMs); at !== null && at <= toMs; at = nextInstant(timetable, at))
    found.push(new Date(at).toISOString().replace(".000Z", "Z"))
  return found
}

describe("schedules", () => {
  for (const [name, openBacking] of Object.entries(stores)) {
    it(`each instant has one task on ${name}, whoever is killed and whatever is lost`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 1_000_000 }),
          fc.integer({ min: 1, max: 4 }),
          fc.constantFrom(0, 0.05, 0.2),
          async (seed, workers, lossy) => {
            const fleet = new Fleet(await openBacking(), seed, lossy)
            try {
              await liveAndJudge(fleet, seed, workers, lossy)
            } finally {
              await fleet.close()
            }
          },
        ),
        { numRuns: runs(name === "memory" ? 12 : 2) },
      )
    })
  }
})

async function liveAndJudge(fleet: Fleet, seed: number, workers: number, lossy: number): Promise<void> {
  const queue = await fleet.observer()
  for (const [name, cron] of Object.entries(crons)) await queue.schedule(name, cron, { timezone }, tick, { name })
  await fleet.live(workers)
  const { tasks } = await queue.list({ limit: 1_000 })
  for (const [name, cron] of Object.entries(crons)) {
    const prefix = `schedule:${name}:`
    const fired = tasks.filter(({ idempotencyKey }) => idempotencyKey?.startsWith(prefix)).toReversed()
    const instants = fired.map(({ idempotencyKey }) => idempotencyKey?.slice(prefix.length) ?? "")
    const { nextAt } = await queue.schedules.get(name)
    deepEqual(instants, instantsOf(cron, startMs, (nextAt?.getTime() ?? 0) - 1), `${name}, seed ${seed}`)
    ok(nextAt && nextAt.getTime() > fleet.world.wallMs() - 60_000)
    for (const { createdAt, idempotencyKey } of fired) {
      const lateMs = createdAt.getTime() - Date.parse(idempotencyKey?.slice(prefix.length) ?? "")
      ok(lateMs >= 0 && lateMs < (lossy === 0 ? 1_000 : 60_000), `${idempotencyKey} was ${lateMs} ms late`)
    }
  }
}
