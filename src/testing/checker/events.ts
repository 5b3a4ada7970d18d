// What a history is made of: facts that processes write down outside the store, one JSON object each, one log for each process.
// This folder imports nothing but itself, so that what it judges cannot be excused by what it is judged by.
//
// `atMs` is the store's time wherever the store has said it. A fault, a start and an end of a handler happen outside the store:
// there it is the time as near as the writer knows it.

export type HistoryEvent = Submitted | Claimed | Renewed | Settled | Permitted | Moved | Ran | Faulted | PolicySet | Looked

export interface EventBase {
  /** The process that wrote it down; a process that was started again is another one. */
  readonly proc: string
  /** Grows by one with each event of a process. */
  readonly seq: number
  readonly atMs: number
}

export interface GatePassed {
  readonly limit: string
  readonly key: string
  readonly cost: number
}

/** `unknown`: no answer came. It may have happened, may not, may happen later. */
export type Phase = "invoke" | "ok" | "refused" | "unknown"

export interface Submitted extends EventBase {
  readonly op: "submit"
  readonly phase: Phase
  /** `stored`: the task that stands for it, another one where the idempotency key was known. Null before there is an answer. */
  readonly tasks: readonly { readonly id: string; readonly key: string | null; readonly stored: string | null }[]
}

/** A lease was given: `atMs` is when it was admitted, also where the answer came again. */
export interface Claimed extends EventBase {
  readonly op: "claim"
  readonly task: string
  readonly fence: number
  readonly worker: string
  readonly untilMs: number
  readonly gates: readonly GatePassed[]
}

export interface Renewed extends EventBase {
  readonly op: "renew"
  readonly task: string
  readonly fence: number
  readonly untilMs: number
}

export interface Settled extends EventBase {
  readonly op: "settle"
  readonly phase: Phase
  readonly task: string
  readonly fence: number
  readonly outcome: string
  /** What became of the task, where the store took it. */
  readonly status: string | null
  /** What was really spent, by limit. */
  readonly spent: Readonly<Record<string, number>>
}

/** One more request of a running task: `atMs` is when it may go out. */
export interface Permitted extends EventBase {
  readonly op: "permit"
  readonly task: string
  readonly fence: number
  /** Null: every one that the task passes. */
  readonly limit: string | null
  /** Null: as much as the claim was charged. */
  readonly cost: number | null
}

/** Somebody cancelled, retried, archived or expired it by hand. */
export interface Moved extends EventBase {
  readonly op: "move"
  readonly phase: Phase
  readonly verb: string
  readonly task: string
  /** What it was then; null where no answer came. */
  readonly status: string | null
}

/** A handler began or ended: what happens in the world, whatever the store thinks of it. */
export interface Ran extends EventBase {
  readonly op: "run"
  readonly phase: "start" | "end"
  readonly task: string
  readonly fence: number
}

/** What was done to a process, from `atMs` on. `untilMs` is null where it never ends: it was killed. */
export interface Faulted extends EventBase {
  readonly op: "fault"
  readonly fault: "kill" | "pause" | "outage" | "lost_reply" | "lost_request" | "duplicate" | "slow" | "clock"
  readonly victim: string
  readonly untilMs: number | null
}

export interface RateSet {
  readonly limit: number
  readonly perMs: number
  readonly provider: "unknown" | "sliding" | "fixed" | "bucket"
  readonly burst: number
  readonly phaseMs: number
}

/** What holds for every gate of a limit, from `atMs` on. */
export interface PolicySet extends EventBase {
  readonly op: "policy"
  readonly limit: string
  readonly rates: readonly RateSet[]
  readonly slots: number | null
  /** Nothing passes before; null while it is paused. */
  readonly closedUntilMs: number | null
}

export interface SeenTask {
  readonly id: string
  readonly status: string
  readonly fence: number
  readonly key: string | null
  readonly gates: readonly GatePassed[] | null
  /** Which lane it stands in, and how many stand before it there; null where it stands in none. */
  readonly place: { readonly lane: string; readonly ahead: number } | null
  /** Every lease that its history tells of, where it was looked at: also those whose answer nobody got. */
  readonly claims: readonly { readonly fence: number; readonly worker: string; readonly atMs: number }[] | null
}

/** What the store says about everything in one moment. */
export interface Looked extends EventBase {
  readonly op: "look"
  /** Faults are over, and there was time enough for everything. */
  readonly isRest: boolean
  readonly tasks: readonly SeenTask[]
  readonly counts: Readonly<Record<string, number>>
  readonly gates: readonly SeenGate[]
}

export interface SeenGate {
  readonly limit: string
  readonly key: string
  readonly held: number | null
  readonly waitingTasks: number
  readonly waitingCost: number
}
