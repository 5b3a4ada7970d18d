// Random stories of a queue, told so that most exchanges are of the usual kind: tasks come, are claimed and completed. Now and then somebody
// retries, cancels, changes a limit or lets time pass.

import fc from "fast-check"
import type { GatePolicy } from "../../src/limits/index.ts"

/** An operation and its request. */
export type Happening = readonly [operation: string, request: unknown]

type Chapter =
  | { readonly kind: "submit"; readonly tasks: readonly Submitted[]; readonly isMixed: boolean }
  | { readonly kind: "exchange"; readonly how: readonly number[]; readonly claim: Claimed | null; readonly beats: boolean }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "cancel" | "retry"; readonly which: number }
  | { readonly kind: "sweep" }
  | { readonly kind: "pause"; readonly limit: string }

interface Submitted {
  readonly type: string
  readonly key: number
  readonly priority: number
  readonly flow: number
  readonly later: number
  readonly ttl: number
  readonly size: number
  readonly isMany: boolean
}

interface Claimed {
  readonly worker: number
  readonly types: readonly string[]
  readonly room: number
  readonly max: number
}

const rate = (limit: number, provider: string, slackUs: number) => {
  return { limit, perUs: 2_000_000, provider, burst: limit, phaseUs: 0, guardUs: 0, slackUs }
}
/** By type: what its tasks pass. */
const policies: Readonly<Record<string, GatePolicy>> = {
  slots: { rates: [], concurrency: 3 },
  sliding: { rates: [rate(20, "sliding", 0)], concurrency: null } as GatePolicy,
  unknown: { rates: [rate(300, "unknown", 500_000)], concurrency: 6 } as GatePolicy,
  bucket: { rates: [rate(30, "bucket", 0)], concurrency: null } as GatePolicy,
}
const gated = Object.keys(policies)
const types = ["plain", "other", ...gated]
const mostly = <T>(usual: T, ...rare: readonly T[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, ...rare.map((one) => ({ weight: 1, arbitrary: fc.constant(one) })))

const submitted: fc.Arbitrary<Submitted> = fc.record({
  type: fc.constantFrom("plain", "plain", "plain", ...types),
  key: fc.nat(5),
  priority: mostly(0, 1, -1, 200, -200),
  flow: mostly(0, 1),
  later: mostly(0, 700),
  ttl: mostly(0, 900, 100_000),
  size: mostly(5, 2_000),
  isMany: mostly(false, true),
})
const chapter: fc.Arbitrary<Chapter> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("submit" as const),
      tasks: fc.array(submitted, { minLength: 1, maxLength: 8 }),
      isMixed: fc.nat(3).map((n) => n === 0),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("exchange" as const),
      how: fc.array(fc.nat(60), { maxLength: 12 }),
      beats: mostly(false, true),
      claim: fc.option(
        fc.record({
          worker: mostly(0, 1),
          types: fc.oneof(
            fc.constantFrom(...types).map((one) => [one]),
            fc.uniqueArray(fc.constantFrom(...types), { maxLength: 6 }),
          ),
          room: fc.integer({ min: 0, max: 12 }),
          max: mostly(100, 0, 1, 3),
        }),
        { nil: null, freq: 8 },
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(0, 1, 3, 50, 700, 2_500) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("cancel" as const, "retry" as const), which: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "sweep" as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pause" as const), limit: fc.constantFrom("none", "none", ...gated) }) },
)
export const story: fc.Arbitrary<readonly Chapter[]> = fc.array(chapter, { minLength: 20, maxLength: 60 })

interface Running {
  readonly id: string
  readonly fence: number
  readonly worker: number
}

/** Turns chapters into requests, which depend on what was answered before. */
export class Story {
  nowMs = 1_700_000_000_000
  /** How many steps there were, and the latest. */
  steps = 0
  latest: Happening | null = null
  private readonly left: Chapter[]
  private readonly opening: Happening[] = [
    ["open", { epoch: "epoch" }],
    [
      "hello",
      {
        workerId: null,
        types: types.map((type) => ({ type, limits: policies[type] ? [type] : [] })),
        limits: gated.map((name) => ({ name, policy: policies[name] })),
      },
    ],
  ]
  private made = 0
  private claims = 0
  private running: Running[] = []
  private settling: Running[] = []
  private worker = 0
  private paused: string | null = null

  constructor(chapters: readonly Chapter[]) {
    this.left = [...chapters]
  }

  next(): Happening | null {
    const next = this.opening.shift() ?? this.tell()
    this.steps++
    this.latest = next
    return next
  }

  /** The engine's answer: what was claimed can be settled from now on. */
  heard([kind, text, ...rows]: readonly string[]): void {
    const { claimed } = kind === "ok" ? JSON.parse(text ?? "{}") : { claimed: undefined }
    if (claimed === undefined) return
    this.running = this.running.filter((one) => !this.settling.includes(one))
    for (const row of claimed as readonly number[]) this.running.push({ id: rows[3 * row] ?? "", fence: 1, worker: this.worker })
    this.settling = []
  }

  private tell(): Happening | null {
    for (let chapter = this.left.shift(); chapter; chapter = this.left.shift()) {
      if (chapter.kind === "wait") this.nowMs += chapter.ms
      else return this.happening(chapter)
    }
    return null
  }

  private happening(chapter: Exclude<Chapter, { kind: "wait" }>): Happening {
    switch (chapter.kind) {
      case "submit":
        return ["submit", this.submission(chapter)]
      case "exchange":
        return ["exchange", this.exchange(chapter)]
      case "sweep":
        return ["sweep", { backoff: { baseMs: 10, factor: 2, capMs: 100 }, random: 0.5, retentionMs: 1_000 }]
      case "pause":
        return ["changeLimit", this.change(chapter.limit)]
      default:
        return [chapter.kind, { ids: [`task-${chapter.which % (this.made + 1)}`] }]
    }
  }

  /** Most are of one kind. */
  private submission({ tasks, isMixed }: Extract<Chapter, { kind: "submit" }>) {
    const [first] = tasks
    const alike = { type: first?.type ?? "plain", priority: first?.priority ?? 0, flow: first?.flow ?? 0, later: 0, ttl: 0 }
    const all = isMixed ? tasks : tasks.map((task) => ({ ...task, ...alike }))
    return { tasks: all.flatMap((task) => Array.from({ length: task.isMany ? 40 : 1 }, () => this.task(task))) }
  }

  private change(limit: string) {
    const [name, isPaused] = this.paused === null ? [limit, true] : [this.paused, false]
    this.paused = this.paused === null && policies[limit] ? limit : null
    return { limit: name, key: "", change: { kind: isPaused ? "pause" : "resume" }, by: "test" }
  }

  private task({ type, key, priority, flow, later, ttl, size }: Submitted) {
    return {
      id: `task-${++this.made}`,
      type,
      input: "x".repeat(size),
      priority,
      tags: [],
      flow: flow === 0 ? type : `${type}-${flow}`,
      gates: policies[type] ? [{ limit: type, key: key === 0 ? "" : `key-${key}`, cost: key === 5 ? 2 : 1 }] : [],
      maxRetries: 3,
      timeoutMs: 60_000,
      ...(later > 0 ? { schedule: { inMs: later } } : {}),
      ...(ttl > 0 ? { expiry: { inMs: later + ttl } } : {}),
    }
  }

  private exchange({ how, claim, beats }: Extract<Chapter, { kind: "exchange" }>) {
    this.worker = claim?.worker ?? 0
    const own = this.running.filter(({ worker }) => worker === this.worker)
    this.settling = own.slice(0, how.length)
    const settles = this.settling.map(({ id, fence }, i) => {
      const nth = how[i] ?? 0
      // A worker tells when the handler began and ended; a caller of the contract need not.
      const ages = nth % 3 === 0 ? {} : { sentAgoMs: nth * 20, ...(nth % 3 === 1 ? { respondedAgoMs: nth * 7 } : {}) }
      return { id, fence: nth === 1 ? 7 : fence, spent: [], outcome: outcome(nth), ...ages, ...(nth === 7 ? { rttMs: 30 } : {}) }
    })
    return {
      workerId: `worker-${this.worker}`,
      settles: how.includes(2) ? [...settles, ...settles] : settles,
      heartbeats: beats ? own.slice(how.length).map(({ id, fence }) => ({ id, fence })) : [],
      leaseMs: 2_000,
      ...(claim && {
        claim: {
          number: how.includes(3) ? this.claims : ++this.claims,
          max: claim.max,
          types: claim.types.map((type) => ({ type, room: claim.room })),
        },
      }),
    }
  }
}

function outcome(how: number) {
  if (how === 4) return { kind: "failed", error: "no" }
  if (how === 5) return { kind: "retried", error: "again", delayMs: 0 }
  if (how === 6) return { kind: "completed", output: "y".repeat(2_000) }
  return how % 2 === 0 ? { kind: "completed" } : { kind: "completed", output: `"${how}"` }
}
