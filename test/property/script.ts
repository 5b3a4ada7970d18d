// Plays commands on several queues at once and compares every answer. Requests follow from what the first one answered, so
// all are asked exactly the same. Whoever watches sees each request with its answer.

import assert from "node:assert/strict"
import type { ListAnswer, Operation, SubmitAnswer } from "../../src/store/contract.ts"
import type { ExchangeAnswer } from "../../src/store/exchange-contract.ts"
import type { TaskRecord } from "../../src/task/index.ts"
import type { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { type GateSpec, types } from "./commands.ts"
import type { GateCommand } from "./gate-commands.ts"

type Lease = { readonly id: string; readonly fence: number }
export type Command = GateCommand
type Asked<Do extends Command["do"]> = Extract<Command, { do: Do }>
type ClaimSpec = { repeats: number; rooms: readonly [number, number]; asks: readonly number[]; max: number }
export type Call = (operation: Operation, request: unknown) => Promise<unknown>
export type Watch = (operation: Operation, request: unknown, answer: unknown) => Promise<void>

export interface Setting {
  /** What a process that has the code says of itself, before anything else happens. */
  readonly hello: {
    readonly types: readonly object[]
    readonly limits: readonly {
      readonly name: string
      readonly policy: { readonly rates: readonly object[]; readonly concurrency: number | null }
    }[]
  }
  /** The largest cost that each limit lets pass. */
  readonly largest: Readonly<Record<string, number>>
  /** What a store may answer as it likes. */
  readonly ownAffairs: readonly string[]
  readonly watch?: Watch
}

const backoff = { baseMs: 1_000, factor: 2, capMs: 3_000 }
const everything = { statuses: null, type: null, tag: null, jobId: null, createdFromMs: null, createdBeforeMs: null, limit: 50 }
const idle = { workerId: "idle", settles: [], heartbeats: [], leaseMs: 1, claim: null }

/** At a cost of 1 what is spent is learned, and later runs are charged for it: whoever reckons with declared costs is told of no other. */
export function toldOf<Spent extends { readonly limit: string }>(gates: readonly GateSpec[], spent: readonly Spent[]): Spent[] {
  return spent.filter(({ limit }) => gates.every((gate) => gate.limit !== limit || gate.cost > 1))
}

export class Script {
  private readonly world: VirtualWorld
  private readonly queues: readonly Call[]
  private readonly setting: Setting
  private readonly submissions: unknown[] = []
  private readonly ids: string[] = []
  private readonly leases: Lease[] = []
  private open: Lease[] = []
  private readonly gatesOf = new Map<string, readonly GateSpec[]>()
  /** Of each queue: the numbers of its tasks, in the order in which they were told. */
  private readonly seqs: Map<number, number>[] = []
  private readonly claims = new Map<string, NonNullable<unknown>[]>()

  constructor(world: VirtualWorld, queues: readonly Call[], setting: Setting) {
    this.world = world
    this.queues = queues
    this.setting = setting
  }

  async play(commands: readonly Command[]): Promise<void> {
    await this.all("hello", { workerId: null, ...this.setting.hello })
    // As it would come over the wire: what is drawn has objects without a prototype in it.
    for (const command of JSON.parse(JSON.stringify(commands)) as Command[]) await this.one(command)
    if (this.queues.length === 1) return
    await this.list(everything)
    for (const id of this.ids) await this.read("history", { id })
    await this.read("counts", { type: null })
  }

  private async one(command: Command): Promise<unknown> {
    switch (command.do) {
      case "submit":
        return this.submit({ tasks: command.tasks.map((spec) => this.newTask(spec)) })
      case "submit-again":
        return this.submit(latest(this.submissions, command.pick) ?? { tasks: [] })
      case "exchange":
        return this.exchange(command)
      case "ask-until-idle":
        return this.askUntilIdle(command)
      case "cancel":
      case "retry":
      case "archive":
      case "expire":
        return this.all(command.do, {
          ids: command.picks.map(({ pick, of }) => (of === "open" ? this.lease({ pick, of }).id : this.id(pick))),
        })
      case "sweep":
        return this.all("sweep", { backoff, random: command.random, retentionMs: command.retentionMs })
      case "advance":
      case "step-clock":
        return this.world.stepClock(command.ms)
      case "list":
        return this.list({ ...everything, statuses: command.statuses, type: command.type, tag: command.tag, limit: command.limit })
      case "get":
        return this.read("get", { ids: command.picks.map((pick) => this.id(pick)) })
      case "history":
        return this.read("history", { id: this.id(command.pick) })
      case "counts":
        return this.read("counts", { type: command.type })
      case "now":
        return this.read("now", {})
      default:
        return this.aboutGates(command)
    }
  }

  private async aboutGates(command: Command): Promise<unknown> {
    switch (command.do) {
      case "hello": {
        const limits = Object.entries(command.limits).map(([name, policy]) => ({ name, policy }))
        return this.all("hello", { workerId: command.worker, types: this.setting.hello.types, limits })
      }
      case "change":
        return this.change(command)
      case "permit": {
        const { limit, cost, withinMs } = command
        return this.all("permit", { ...this.lease({ pick: command.pick, of: "open" }), limit, cost, withinMs })
      }
      case "route":
        return this.all("route", {
          routes: command.routes.map(({ pick, gates, flow }) =>
            gates ? { id: this.id(pick), gates: this.affordable(gates), flow } : { id: this.id(pick), error: "no such input" },
          ),
        })
      case "unrouted":
        return this.read("unrouted", { types, limit: 3 })
      case "gates":
        return this.gates(command)
      case "limits":
        return this.read("limits", { names: null })
      case "explain":
        return this.read("explain", { id: this.id(command.pick) })
      case "limit-changes":
        return this.read("limitChanges", { limit: command.limit, beforeNumber: null, count: command.count })
      case "forecast-errors":
        return this.read("forecastErrors", {})
    }
    throw new Error(`nobody plays ${command.do}`)
  }

  private newTask({ gates, tag, key, digest, ...spec }: Asked<"submit">["tasks"][number]) {
    const id = `task-${this.ids.length + 1}`
    this.ids.push(id)
    const tags = tag === null ? [] : [tag]
    const passed = gates && this.affordable(gates)
    return { ...spec, id, gates: passed, tags, jobId: null, timeoutMs: 60_000, idempotencyKey: key, inputDigest: digest }
  }

  private affordable(gates: readonly GateSpec[]): readonly GateSpec[] {
    return gates.map((gate) => (gate.cost === 9 ? gate : { ...gate, cost: Math.min(gate.cost, this.setting.largest[gate.limit] ?? 9) }))
  }

  private async submit(request: unknown): Promise<void> {
    this.submissions.push(request)
    const answer = await this.all<SubmitAnswer>("submit", request)
    assert.ok(answer.kind)
  }

  private async exchange({ worker, settles, heartbeats, leaseMs, claim }: Asked<"exchange">): Promise<void> {
    const request = {
      workerId: worker,
      settles: settles.map(({ pick, of, skew, ...said }) => {
        const lease = this.lease({ pick, of, skew })
        return { ...lease, ...said, spent: this.setting.watch ? toldOf(this.gatesOf.get(lease.id) ?? [], said.spent) : said.spent }
      }),
      heartbeats: heartbeats.map((spec) => ({ ...this.lease(spec), progress: spec.progress })),
      leaseMs,
      claim: claim && this.claim(worker, claim),
    }
    const answer = await this.all<ExchangeAnswer>("exchange", request)
    const done = request.settles.filter((_, i) => answer.settled[i]?.kind === "ok")
    this.open = this.open.filter(({ id, fence }) => !done.some((settled) => settled.id === id && settled.fence === fence))
    this.hold(answer.claimed)
  }

  /** A worker with room asks again for as long as it is told to: that must come to an end by itself. */
  private async askUntilIdle({ worker, asks, rooms, leaseMs }: Asked<"ask-until-idle">): Promise<void> {
    for (let times = 1; ; times++) {
      assert.ok(times <= 200, "a worker is sent back and forth for ever without time passing")
      const claim = this.claim(worker, { repeats: 0, rooms, asks, max: 100 })
      const answer = await this.all<ExchangeAnswer>("exchange", { workerId: worker, settles: [], heartbeats: [], leaseMs, claim })
      this.hold(answer.claimed)
      if (!answer.more && (answer.nextAtMs === null || answer.nextAtMs > answer.nowMs)) return
    }
  }

  private hold(claimed: readonly Pick<TaskRecord, "id" | "fence" | "gates">[]): void {
    for (const { id, fence, gates } of claimed) {
      this.gatesOf.set(id, gates ?? [])
      this.leases.push({ id, fence })
      this.open.push({ id, fence })
    }
  }

  private claim(worker: string, { repeats, rooms, asks, max }: ClaimSpec): unknown {
    const claims = this.claims.get(worker) ?? []
    this.claims.set(worker, claims)
    const again = repeats === 0 ? undefined : claims[claims.length - repeats]
    if (again) return again
    claims.push({ number: claims.length + 1, types: asks.map((i) => ({ type: types[i], room: rooms[i as 0 | 1] })), max })
    return claims.at(-1)
  }

  /** People name times; what is drawn is how far away they are. */
  private async change({ limit, key, change }: Asked<"change">): Promise<unknown> {
    const { do: kind, ...rest } = change
    const { nowMs } = await this.all<{ nowMs: number }>("exchange", idle)
    const times: object =
      "inMs" in rest ? { untilMs: nowMs + rest.inMs } : "untilMs" in rest && rest.untilMs !== null ? { untilMs: nowMs + rest.untilMs } : {}
    const { inMs: _, ...named } = rest as { inMs?: number }
    return this.all("changeLimit", { limit, key, change: { kind, ...named, ...times }, by: "somebody" })
  }

  private async gates({ limit, count }: Asked<"gates">): Promise<void> {
    let afterKey: string | null = null
    do {
      const page: { nextAfterKey: string | null } = await this.read("gates", { limit, keys: null, afterKey, count })
      afterKey = page.nextAfterKey
    } while (afterKey !== null)
  }

  private async list(filters: object): Promise<void> {
    await this.all("exchange", idle)
    const pages = await Promise.all(this.queues.map((call) => allPages(call, filters)))
    const [first, ...others] = pages.map((tasks, queue) => this.counted(tasks, queue))
    for (const other of others) assert.deepEqual(other, first, `list ${JSON.stringify(filters)}`)
  }

  /** Whether reading raises the clock's mark is the store's affair, so a step that writes the time down goes before it. */
  private async read<T>(operation: Operation, request: unknown): Promise<T> {
    await this.all("exchange", idle)
    return this.all(operation, request)
  }

  private async all<T>(operation: Operation, request: unknown): Promise<T> {
    const answers: unknown[] = []
    for (const call of this.queues) answers.push(await call(operation, request))
    const [first, ...others] = answers
    const expected = this.comparable(first, 0)
    for (const [i, other] of others.entries()) {
      assert.deepEqual(this.comparable(other, i + 1), expected, `${operation} ${JSON.stringify(request)}`)
    }
    await this.setting.watch?.(operation, request, first)
    return first as T
  }

  private comparable(answer: unknown, queue: number): unknown {
    const told = Object.entries(answer as object).filter(([name]) => !this.setting.ownAffairs.includes(name))
    return this.counted(Object.fromEntries(told), queue)
  }

  /** Numbers of tasks grow; how far they are apart is a store's own affair. So they are compared by the order in which they came. */
  private counted<T>(answer: T, queue: number): T {
    const seen = this.seqs[queue] ?? new Map<number, number>()
    this.seqs[queue] = seen
    const place = (seq: number) => {
      if (!seen.has(seq)) {
        const last = [...seen.keys()].at(-1) ?? 0
        assert.ok(seq > last, `expected the number of a new task to be above ${last}, got ${seq}`)
        seen.set(seq, seen.size + 1)
      }
      return seen.get(seq)
    }
    const text = JSON.stringify(answer, (name, value) =>
      (name === "seq" || name === "nextBeforeSeq") && typeof value === "number" ? place(value) : value,
    )
    return JSON.parse(text) as T
  }

  private lease({ pick, of, skew = 0 }: { pick: number; of: "open" | "all"; skew?: number }): Lease {
    const { id, fence } = latest(of === "open" ? this.open : this.leases, pick) ?? { id: "nobody", fence: 1 }
    return { id, fence: fence + skew }
  }

  private id(pick: number): string {
    return latest(this.ids, pick) ?? "nobody"
  }
}

function latest<T>(seen: readonly T[], pick: number): T | undefined {
  return seen[seen.length - 1 - (pick % Math.max(1, seen.length))]
}

async function allPages(call: Call, filters: object): Promise<TaskRecord[]> {
  const tasks: TaskRecord[] = []
  let beforeSeq: number | null = null
  do {
    const page = (await call("list", { ...filters, beforeSeq })) as ListAnswer
    tasks.push(...page.tasks)
    beforeSeq = page.nextBeforeSeq
  } while (beforeSeq !== null)
  return tasks
}
