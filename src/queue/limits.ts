// Limits as people watch and change them. A change is an override: what the code says is not touched, and `reset` goes back to it.

import { hostname } from "node:os"
import { isSluiceError, SluiceError, shown } from "../errors/index.ts"
import type { GatePolicy, RatePolicy } from "../limits/index.ts"
import { budgets, type GatesAnswer, type LimitChange, type LimitReport, type Override, type Store } from "../store/index.ts"
import { formatCursor, type Instant, parseCursor, parseInstant, parseKey, parseName, readOptions, wholeNumber } from "../units/index.ts"
import { type GateView, gateView } from "./gate-view.ts"
import { checkImport, exportOf, type LearnedExport, readExport, type TeachOptions, taughtBy } from "./learned.ts"
import { type LimitView, type LoggedChangeView, limitView, loggedChangeView } from "./limit-view.ts"
import { type PolicyOptions, policyReaders, type ReadPolicyOptions, ratesOf } from "./policy.ts"
import { learnedMeanwhile, unknownLimit } from "./refusals.ts"

/** Which part of a limit, and who changes it. */
export interface LimitTarget {
  /** One gate; the limit as a whole if not given. */
  readonly key?: string
  /** Who, in words, for the change log; this process if not given. */
  readonly by?: string
}

export interface GatesOptions {
  readonly key?: string
  readonly limit?: number
  /** From the page before. */
  readonly cursor?: string
}

export interface GatesPage {
  /** By key. */
  readonly gates: readonly GateView[]
  /** For the next page; null on the last one. */
  readonly cursor: string | null
}

export interface LimitHistoryOptions {
  readonly limit?: string
  /** The number of a change: those before it. */
  readonly before?: number
  readonly count?: number
}

/** Of telling a gate something while it learns. */
const mostAttempts = 10

const targetReaders = { key: parseKey, by: parseKey }

export class Limits {
  private readonly store: Store

  constructor(store: Store) {
    this.store = store
  }

  async list(): Promise<LimitView[]> {
    return (await this.store.limits({ names: null })).limits.map(limitView)
  }

  async get(name: string): Promise<LimitView> {
    return limitView(await this.report("limits.get", name))
  }

  async gates(name: string, options?: GatesOptions): Promise<GatesPage> {
    const where = "limits.gates"
    const { key, limit, cursor } = readOptions(where, options, {
      key: parseKeyOrNone,
      limit: wholeNumber(1, budgets.listPage),
      cursor: parseCursor("after"),
    })
    await this.report(where, name)
    const keys = key === undefined ? null : [key]
    const answer = await this.store.gates({ limit: name, keys, afterKey: cursor ?? null, count: limit ?? 50 })
    return { gates: answer.gates.map(gateView), cursor: answer.nextAfterKey === null ? null : formatCursor("after", answer.nextAfterKey) }
  }

  /** Holds instead of what the code says, until it is reset or its time is over. */
  async set(name: string, policy: PolicyOptions, target?: LimitTarget & { readonly until?: Instant }): Promise<LimitView> {
    const where = `limits.set ${shown(name)}`
    const { until, ...whom } = readOptions(where, target, { ...targetReaders, until: parseInstant })
    const { base } = await this.report("limits.set", name)
    const override = overrideOf(where, readOptions(where, policy, policyReaders), base)
    return this.change("limits.set", name, whom, { kind: "set", override, untilMs: until ?? null })
  }

  pause(name: string, target?: LimitTarget): Promise<LimitView> {
    return this.changeBy("pause", name, target)
  }

  resume(name: string, target?: LimitTarget): Promise<LimitView> {
    return this.changeBy("resume", name, target)
  }

  /** Nothing passes until then. */
  async close(name: string, target: LimitTarget & { readonly until: Instant }): Promise<LimitView> {
    const where = "limits.close"
    const { until, ...whom } = readOptions(where, target, { ...targetReaders, until: parseInstant })
    return this.change(where, name, whom, { kind: "close", untilMs: until ?? parseInstant(`${where}: until`, until) })
  }

  /** Back to what the code says: no override, no pause, no closing, no cooldown. What was charged and what was learned stays. */
  reset(name: string, target?: LimitTarget): Promise<LimitView> {
    return this.changeBy("reset", name, target)
  }

  /** Tells a gate what it should have learned: of one key, or of a limit that is not split. */
  async teach(name: string, what: TeachOptions, target?: LimitTarget): Promise<LimitView> {
    const where = `limits.teach ${shown(name)}`
    const whom = readOptions(where, target, targetReaders)
    // Whoever learns at the same time wins: then it is told anew, on top of that.
    for (let attempt = 1; ; attempt++) {
      await this.report("limits.teach", name)
      const { nowMs, gates } = await this.store.gates({ limit: name, keys: [whom.key ?? ""], afterKey: null, count: 1 })
      const [gate] = gates
      if (!gate) throw unknownLimit(where, name, [])
      const taught = taughtBy(where, gate, nowMs, what)
      try {
        return await this.change("limits.teach", name, whom, { kind: "teach", version: gate.learned?.version ?? 0, taught })
      } catch (error) {
        if (attempt >= mostAttempts || !isSluiceError(error) || error.code !== "learned_meanwhile") throw error
      }
    }
  }

  /** As if it had never heard an answer: one gate, or every gate of the limit. */
  forget(name: string, target?: LimitTarget): Promise<LimitView> {
    const whom = readOptions("limits.forget", target, targetReaders)
    return this.change("limits.forget", name, whom, { kind: "teach", version: null, taught: null })
  }

  /** Everything that gates of the limit have learned, to be carried to another store. */
  async *exportLearned(name: string): AsyncGenerator<LearnedExport> {
    await this.report("limits.exportLearned", name)
    let afterKey: string | null = null
    do {
      const page: GatesAnswer = await this.store.gates({ limit: name, keys: null, afterKey, count: 500 })
      for (const gate of page.gates) {
        const exported = exportOf(gate)
        if (exported) yield exported
      }
      afterKey = page.nextAfterKey
    } while (afterKey !== null)
  }

  /** What was exported takes the place of what the gate has learned. A limit that learns in another way could do nothing with it. */
  async importLearned(exported: LearnedExport, target?: Pick<LimitTarget, "by">): Promise<LimitView> {
    const where = "limits.importLearned"
    const { limit, key, taught } = readExport(where, exported)
    const { by } = readOptions(where, target, { by: parseKey })
    await this.report(where, limit)
    const { gates } = await this.store.gates({ limit, keys: [key], afterKey: null, count: 1 })
    for (const { policy } of gates) checkImport(where, limit, policy, taught)
    return this.change(
      where,
      limit,
      { ...(key === "" ? {} : { key }), ...(by === undefined ? {} : { by }) },
      { kind: "teach", version: null, taught },
    )
  }

  /** Newest first. */
  async history(options?: LimitHistoryOptions): Promise<LoggedChangeView[]> {
    const { limit, before, count } = readOptions("limits.history", options, {
      limit: parseName,
      before: wholeNumber(0, Number.MAX_SAFE_INTEGER),
      count: wholeNumber(1, budgets.listPage),
    })
    const { changes } = await this.store.limitChanges({ limit: limit ?? null, beforeNumber: before ?? null, count: count ?? 50 })
    return changes.map(loggedChangeView)
  }

  private async changeBy(kind: "pause" | "resume" | "reset", name: string, target: LimitTarget | undefined): Promise<LimitView> {
    return this.change(`limits.${kind}`, name, readOptions(`limits.${kind}`, target, targetReaders), { kind })
  }

  private async change(where: string, name: string, { key, by }: LimitTarget, change: LimitChange): Promise<LimitView> {
    const limit = parseName(`${where}: limit`, name)
    const answer = await this.store.changeLimit({ limit, key: key ?? "", change, by: by ?? thisProcess() })
    if (answer.kind === "unknown_limit") throw unknownLimit(where, name, answer.known)
    if (answer.kind === "conflict") throw learnedMeanwhile(where, name, answer.version)
    return limitView(answer.limit)
  }

  private async report(where: string, name: string): Promise<LimitReport> {
    const { limits } = await this.store.limits({ names: [parseName(`${where}: limit`, name)] })
    if (limits[0]) return limits[0]
    const known = await this.list()
    throw unknownLimit(
      where,
      name,
      known.map((limit) => limit.name),
    )
  }
}

/** How the other side counts is a fact about it: a new rate is counted as the code counts the one that it replaces. */
function overrideOf(where: string, options: ReadPolicyOptions, base: GatePolicy | null): Override {
  const { rate, concurrency } = options
  if (rate === undefined && concurrency === undefined)
    throw new SluiceError("invalid_option", `${where}: expected a rate such as "10/10s", a concurrency, or both, got neither`)
  const counted = rate?.map((one, i) => {
    const known = base?.rates[i] ?? base?.rates[0]
    const isSaid = one.counting.provider !== undefined || options.provider !== undefined
    return isSaid || !known ? one : { ...one, counting: { ...countingOf(known, one.perMs), ...one.counting } }
  })
  const rates = ratesOf(where, { ...options, ...(counted ? { rate: counted } : {}) })
  return { ...(rate ? { rates } : {}), ...(concurrency === undefined ? {} : { concurrency }) }
}

function countingOf({ provider, slackUs, phaseUs }: RatePolicy, perMs: number) {
  if (provider === "unknown") return { provider, slack: slackUs / 1_000 }
  return provider === "fixed" ? { provider, phase: (phaseUs / 1_000) % perMs } : { provider }
}

function thisProcess(): string {
  return `process ${process.pid} on ${hostname() || "this machine"}`
}

/** The gate of a limit that is not split has the key "". */
function parseKeyOrNone(name: string, value: unknown): string {
  return value === "" ? "" : parseKey(name, value)
}
