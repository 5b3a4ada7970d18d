// Plays commands on two queues at once and compares every answer. Requests follow from what the first one answered, so
// both are asked exactly the same.

import assert from "node:assert/strict"
import type { ExchangeAnswer, ListAnswer, Operation, SubmitAnswer } from "../../src/store/contract.ts"
import type { TaskRecord } from "../../src/task/index.ts"
import type { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { type Command, type ExchangeSpec, type NewTaskSpec, types } from "./commands.ts"

type Lease = { readonly id: string; readonly fence: number }
export type Call = (operation: Operation, request: unknown) => Promise<unknown>

const backoff = { baseMs: 1_000, factor: 2, capMs: 3_000 }
const everything = { statuses: null, type: null, tag: null, createdFromMs: null, createdBeforeMs: null, limit: 50 }
const idle = { workerId: "idle", settles: [], heartbeats: [], leaseMs: 1, claim: null }
/** What a store may do as it likes: how much it looked at, what it keeps for itself, how it words a refusal. */
const ownAffairs = ["touched", "forgotten", "message"]

export class Script {
  private readonly world: VirtualWorld
  private readonly queues: readonly [Call, Call]
  private readonly submissions: unknown[] = []
  private readonly ids: string[] = []
  private readonly leases: Lease[] = []
  private open: Lease[] = []
  private readonly claims = new Map<string, NonNullable<unknown>[]>()

  constructor(world: VirtualWorld, queues: readonly [Call, Call]) {
    this.world = world
    this.queues = queues
  }

  async play(commands: readonly Command[]): Promise<void> {
    for (const command of commands) await this.one(command)
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
      case "cancel":
      case "retry":
      case "archive":
      case "expire":
        return this.both(command.do, {
          ids: command.picks.map(({ pick, of }) => (of === "open" ? this.lease({ pick, of }).id : this.id(pick))),
        })
      case "sweep":
        return this.both("sweep", { backoff, random: command.random, retentionMs: command.retentionMs })
      case "advance":
        return this.world.advance(command.ms)
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
    }
  }

  private newTask({ gate, tag, key, digest, ...spec }: NewTaskSpec) {
    const id = `task-${this.ids.length + 1}`
    this.ids.push(id)
    const gates = gate === null ? [] : [{ limit: "vendor", key: gate, cost: 1 }]
    const tags = tag === null ? [] : [tag]
    return { ...spec, id, gates, tags, jobId: null, timeoutMs: 60_000, idempotencyKey: key, inputDigest: digest }
  }

  private async submit(request: unknown): Promise<void> {
    this.submissions.push(request)
    const answer = await this.both<SubmitAnswer>("submit", request)
    assert.ok(answer.kind)
  }

  private async exchange({ worker, settles, heartbeats, leaseMs, claim }: ExchangeSpec): Promise<void> {
    const request = {
      workerId: worker,
      settles: settles.map((spec) => ({ ...this.lease(spec), outcome: spec.outcome })),
      heartbeats: heartbeats.map((spec) => ({ ...this.lease(spec), progress: spec.progress })),
      leaseMs,
      claim: claim && this.claim(worker, claim),
    }
    const answer = await this.both<ExchangeAnswer>("exchange", request)
    const done = request.settles.filter((_, i) => answer.settled[i]?.kind === "ok")
    this.open = this.open.filter(({ id, fence }) => !done.some((settled) => settled.id === id && settled.fence === fence))
    for (const { id, fence } of answer.claimed) {
      this.leases.push({ id, fence })
      this.open.push({ id, fence })
    }
  }

  private claim(worker: string, { repeats, rooms, asks, max }: NonNullable<ExchangeSpec["claim"]>): unknown {
    const claims = this.claims.get(worker) ?? []
    this.claims.set(worker, claims)
    const again = repeats === 0 ? undefined : claims[claims.length - repeats]
    if (again) return again
    claims.push({ number: claims.length + 1, types: asks.map((i) => ({ type: types[i], room: rooms[i] })), max })
    return claims.at(-1)
  }

  private async list(filters: object): Promise<void> {
    await this.both("exchange", idle)
    const [first, second] = await Promise.all(this.queues.map((call) => allPages(call, filters)))
    assert.deepEqual(second, first, `list ${JSON.stringify(filters)}`)
  }

  /** Whether reading raises the clock's mark is the store's affair, so a step that writes the time down goes before it. */
  private async read(operation: Operation, request: unknown): Promise<unknown> {
    await this.both("exchange", idle)
    return this.both(operation, request)
  }

  private async both<T>(operation: Operation, request: unknown): Promise<T> {
    const [first, second] = [await this.queues[0](operation, request), await this.queues[1](operation, request)]
    assert.deepEqual(comparable(second), comparable(first), `${operation} ${JSON.stringify(request)}`)
    return first as T
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

function comparable(answer: unknown): unknown {
  return Object.fromEntries(Object.entries(answer as object).filter(([name]) => !ownAffairs.includes(name)))
}
