// A store that writes down what it is asked and what it answers, for the history checker. Around the store that a process sees
// it tells what that process knows; around the store itself it tells what was done, lost answers included.

import { isSluiceError } from "../errors/index.ts"
import type { GatePolicy } from "../limits/index.ts"
import type {
  ChangeLimitAnswer,
  ChangeLimitRequest,
  ExchangeAnswer,
  ExchangeRequest,
  FireAnswer,
  FireRequest,
  MoveAnswer,
  MoveRequest,
  Operation,
  PermitAnswer,
  PermitRequest,
  SettleRequest,
  Store,
  SubmitAnswer,
  SubmitRequest,
} from "../store/index.ts"
import { type GateRef, scheduleKey } from "../task/index.ts"
import type { EventBase, HistoryEvent, Phase } from "./checker/index.ts"
import { throughCalls } from "./through-calls.ts"

/** An event as the writer sees it: which process it is and which number it has is added by the log. */
export type Fact = HistoryEvent extends infer E
  ? E extends HistoryEvent
    ? Omit<E, keyof EventBase> & { readonly atMs?: number }
    : never
  : never
export type WriteFact = (fact: Fact) => void

/** Gives each event of one process its number. `nowMs` is for what the store has not dated. */
export function historyLog(proc: string, nowMs: () => number, write: (event: HistoryEvent) => void): WriteFact {
  let seq = 0
  return (fact) => write({ proc, seq: ++seq, atMs: nowMs(), ...fact } as HistoryEvent)
}

export function recordedStore(store: Store, write: WriteFact): Store {
  return throughCalls(store, async (operation, request, call) => {
    const recorder = recorders[operation] as Recorder | undefined
    if (!recorder) return call(request)
    recorder.asked?.(write, request as never)
    try {
      const answer = await call(request)
      recorder.answered(write, request as never, answer as never)
      return answer
    } catch (error) {
      const isKnown = isSluiceError(error) && !error.retryable
      recorder.failed?.(write, request as never, isKnown ? "refused" : "unknown")
      throw error
    }
  })
}

interface Recorder<Request = never, Answer = never> {
  asked?(write: WriteFact, request: Request): void
  answered(write: WriteFact, request: Request, answer: Answer): void
  failed?(write: WriteFact, request: Request, phase: Phase): void
}

const submit: Recorder<SubmitRequest, SubmitAnswer> = {
  asked: (write, request) => write(submitFact("invoke", request)),
  answered(write, request, answer) {
    if (answer.kind !== "ok") return write(submitFact("refused", request))
    const tasks = request.tasks.map(({ id, idempotencyKey: key }, i) => ({ id, key, stored: answer.tasks[i]?.task.id ?? null }))
    write({ op: "submit", phase: "ok", atMs: answer.nowMs, tasks })
  },
  failed: (write, request, phase) => write(submitFact(phase, request)),
}

function submitFact(phase: Phase, { tasks }: SubmitRequest): Fact {
  return { op: "submit", phase, tasks: tasks.map(({ id, idempotencyKey: key }) => ({ id, key, stored: null })) }
}

/** What a schedule submits is submitted like anything else, and the key of an instant stands for one task. */
const fire: Recorder<FireRequest, FireAnswer> = {
  asked: (write, request) => write(fireFact("invoke", request)),
  answered(write, { fires }, { nowMs, results }) {
    const tasks = results.flatMap((result, i) => {
      if (result.kind === "stale") return []
      return result.tasks.map(({ atMs, id }) => ({ id, key: scheduleKey(fires[i]?.name ?? "", atMs), stored: id }))
    })
    write({ op: "submit", phase: "ok", atMs: nowMs, tasks })
  },
  failed: (write, request, phase) => write(fireFact(phase, request)),
}

function fireFact(phase: Phase, { fires }: FireRequest): Fact {
  const tasks = fires.flatMap(({ name, runs }) => runs.map(({ id, atMs }) => ({ id, key: scheduleKey(name, atMs), stored: null })))
  return { op: "submit", phase, tasks }
}

const exchange: Recorder<ExchangeRequest, ExchangeAnswer> = {
  asked(write, { settles }) {
    for (const settle of settles) write(settleFact("invoke", settle))
  },
  answered(write, request, { nowMs: atMs, settled, kept, claimed }) {
    for (const [i, settle] of request.settles.entries()) {
      const answer = settled[i]
      const status = answer?.kind === "ok" ? answer.status : null
      write({ ...settleFact(status === null ? "refused" : "ok", settle), atMs, status } as Fact)
    }
    for (const [i, { id: task, fence }] of request.heartbeats.entries()) {
      if (kept[i] === "ok") write({ op: "renew", atMs, task, fence, untilMs: atMs + request.leaseMs })
    }
    for (const { id: task, fence, workerId, startedAtMs, leaseExpiresAtMs, gates } of claimed) {
      const lease = { worker: workerId ?? request.workerId, untilMs: leaseExpiresAtMs ?? atMs }
      write({ op: "claim", atMs: startedAtMs ?? atMs, task, fence, ...lease, gates: (gates ?? []).map(charged) })
    }
  },
  failed(write, { settles }, phase) {
    for (const settle of settles) write(settleFact(phase, settle))
  },
}

/** With what was charged, where that was learned. */
function charged({ limit, key, cost, reserved }: GateRef): { limit: string; key: string; cost: number } {
  return { limit, key, cost: reserved ?? cost }
}

function settleFact(phase: Phase, { id: task, fence, outcome, spent }: SettleRequest): Fact {
  const byLimit = Object.fromEntries(spent.map(({ limit, actual }) => [limit, actual]))
  return { op: "settle", phase, task, fence, outcome: outcome.kind, status: null, spent: byLimit }
}

const permit: Recorder<PermitRequest, PermitAnswer> = {
  answered(write, { id: task, fence, limit, cost }, answer) {
    if (answer.kind === "ok") write({ op: "permit", atMs: answer.nowMs + answer.waitMs, task, fence, limit, cost })
  },
}

const move = (verb: string): Recorder<MoveRequest, MoveAnswer> => ({
  asked: (write, { ids }) => writeMoves(write, verb, ids, "invoke"),
  answered(write, { ids }, { results }) {
    for (const [i, result] of results.entries()) {
      if (result.kind !== "ok") writeMoves(write, verb, ids.slice(i, i + 1), "refused")
      else write({ op: "move", phase: "ok", verb, atMs: result.task.updatedAtMs, task: result.task.id, status: result.task.status })
    }
  },
  failed: (write, { ids }, phase) => writeMoves(write, verb, ids, phase),
})

function writeMoves(write: WriteFact, verb: string, ids: readonly string[], phase: Phase): void {
  for (const task of ids) write({ op: "move", phase, verb, task, status: null })
}

const changeLimit: Recorder<ChangeLimitRequest, ChangeLimitAnswer> = {
  answered(write, { key }, answer) {
    // A setting for one key alone is not written down: the checker knows policies by limit.
    if (answer.kind !== "ok" || key !== "") return
    const { name, base, settings } = answer.limit
    const { override, isPaused = false, closedUntilMs = null } = settings[""] ?? {}
    const policy = { rates: [], concurrency: null, ...base, ...override }
    write({ ...policyFact(name, policy), atMs: answer.nowMs, closedUntilMs: isPaused ? null : (closedUntilMs ?? 0) })
  },
}

/** For whoever declares a limit: what holds for every gate of it, from now on. */
export function policyFact(limit: string, { rates, concurrency }: GatePolicy): Extract<Fact, { op: "policy" }> {
  const inMs = rates.map(({ perUs, phaseUs, limit: count, provider, burst }) => {
    return { limit: count, perMs: perUs / 1_000, provider, burst, phaseMs: phaseUs / 1_000 }
  })
  return { op: "policy", limit, rates: inMs, slots: concurrency, closedUntilMs: 0 }
}

const recorders: { readonly [O in Operation]?: unknown } = {
  submit,
  fire,
  exchange,
  permit,
  cancel: move("cancel"),
  retry: move("retry"),
  archive: move("archive"),
  expire: move("expire"),
  changeLimit,
}
