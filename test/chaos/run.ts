// What every run has: its processes, its judge, its own way to the store, and its end. A run is over at the latest when its time
// is; when a process ends that nobody has ended; and when the judge is sure that something is broken.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type AnyLimit, connect, type Queue } from "../../src/index.ts"
import { Queue as QueueOver } from "../../src/queue/index.ts"
import { lookAt, policyFact, recordedStore, type Violation } from "../../src/testing/index.ts"
import type { ChildSettings } from "./child.ts"
import { seedFor } from "./dice-for.ts"
import { Fleet, type FleetNews, type Member, type Role } from "./fleet.ts"
import { Judge } from "./judge.ts"
import type { Lines } from "./lines/index.ts"
import { persistent } from "./persistent.ts"

export interface RunOptions {
  /** Everything that is written goes there. */
  readonly folder: string
  readonly url: string
  /** Ways to the store that can be cut, where there are any: its processes go there. */
  readonly lines: Lines | null
  readonly seed: number
  readonly limits: readonly AnyLimit[]
}

const tickMs = 50
const stopWithinMs = 20_000

export class Run {
  readonly judge: Judge
  readonly fleet: Fleet
  /** That of the coordinator: on a good line, and recorded like the others. */
  readonly queue: Queue
  private readonly options: RunOptions
  private readonly startedAtMs = Date.now()
  /** Why it cannot go on, beside what the judge says. */
  private failure: string | null = null

  static async start(options: RunOptions, news: Partial<FleetNews>): Promise<Run> {
    return new Run(options, news, await connect(options.url))
  }

  private constructor(options: RunOptions, news: Partial<FleetNews>, { store, world, maxInputBytes }: Queue) {
    this.options = options
    this.judge = new Judge(options.folder)
    this.queue = new QueueOver(persistent(recordedStore(store, this.judge.write)), world, maxInputBytes)
    this.fleet = new Fleet(options.folder, {
      ready: (member) => news.ready?.(member),
      said: (member, message) => news.said?.(member, message),
      gone: (member) => {
        this.judge.tail.end(member.eventFile)
        options.lines?.gone(member.name)
        news.gone?.(member)
      },
      failed: (member, how) => {
        this.fail(`expected ${member.name} to ${member.isEnding ? "stop when told" : "go on"}, but it ended: ${how}\n${this.lastError()}`)
      },
    })
    for (const { name, policy } of options.limits) this.judge.write(policyFact(name, policy))
  }

  /** The first one is told. */
  fail(message: string): void {
    this.failure ??= message
  }

  get elapsedMs(): number {
    return Date.now() - this.startedAtMs
  }

  start<Settings extends ChildSettings>(role: Role, settings: Omit<Settings, keyof ChildSettings> & Pick<ChildSettings, "line">): Member {
    const { seed } = this.options
    const member = this.fleet.start(role, (proc, eventFile) => {
      return { ...settings, proc, url: this.urlFor(proc), eventFile, seed: seedFor(seed, proc) }
    })
    this.judge.tail.follow(member.eventFile)
    return member
  }

  /** Calls `step` again and again until it answers true. Answers with what was found broken meanwhile: then it is over. */
  async until(what: string, withinMs: number, step: () => boolean | Promise<boolean>): Promise<readonly Violation[]> {
    const endsAtMs = Date.now() + withinMs
    while (!(await step())) {
      const violations = this.judge.look()
      if (violations.length > 0) return violations
      if (this.failure !== null) throw new Error(this.failure)
      if (Date.now() > endsAtMs) throw new Error(`expected ${what} within ${withinMs / 1_000} s`)
      await sleep(tickMs)
    }
    return []
  }

  /** Whether nothing waits and nothing runs within the time: a run that is not drained is looked at all the same. */
  async drained(withinMs: number): Promise<boolean> {
    const endsAtMs = Date.now() + withinMs
    let isEmpty = false
    const step = async () => {
      const { pending, running } = await this.queue.counts()
      isEmpty = pending + running === 0
      return isEmpty || Date.now() > endsAtMs
    }
    await this.until("an answer", withinMs * 2, step)
    return isEmpty
  }

  /** Ends the processes, looks at everything that the store has, and judges. */
  async judged(): Promise<void> {
    await this.fleet.stopAll(stopWithinMs)
    if (this.failure !== null) throw new Error(this.failure)
    this.judge.readAll()
    const names = this.options.limits.map(({ name }) => name)
    this.judge.write(await lookAt(this.queue.store, { isRest: true, limits: names, histories: true }))
    this.judge.check()
  }

  async end(): Promise<void> {
    await this.fleet.end()
    this.judge.close()
    await this.queue.close()
  }

  private urlFor(proc: string): string {
    const { url, lines } = this.options
    if (!lines) return url
    const through = new URL(url)
    const endpoint = through.searchParams.get("endpoint")
    const server = endpoint === null ? through : new URL(endpoint)
    server.port = String(lines.portFor(proc))
    if (endpoint !== null) through.searchParams.set("endpoint", server.href)
    // Who judges is known by a name, where a store leaves him alone.
    through.searchParams.delete("application_name")
    return through.href
  }

  private lastError(): string {
    const lines = readFileSync(join(this.options.folder, "children.err"), "utf8").trim().split("\n")
    return lines.slice(-12).join("\n")
  }
}
