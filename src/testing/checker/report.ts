// What the checker says: what was broken, and how much it has looked at.

/** What can be broken, with the rule of docs/reliability.md that it breaks. */
export const rules = {
  lost: "C1",
  double_terminal: "C1",
  cancel_ignored: "C1",
  stale_settle: "C2",
  fence_order: "C2",
  two_leases: "C3",
  never_ran: "C4",
  unattributed_run: "C4",
  window_excess: "C5",
  start_excess: "C5",
  closed_gate: "C5",
  slot_excess: "C6",
  slot_leak: "C6",
  double_key: "C7",
  not_drained: "C8",
  index_drift: "C9",
} as const
export type ViolationKind = keyof typeof rules

export interface Violation {
  readonly kind: ViolationKind
  /** The task or the gate that it is about. */
  readonly about: string
  readonly message: string
}

export interface Totals {
  events: number
  tasks: number
  claims: number
  settles: number
  /** Settles that came too late and were refused, as they have to be. */
  refusedSettles: number
  /** Leases that nobody settled: each has a fault that explains it. */
  lostLeases: number
  runs: number
  /** Handlers that ran while another of the same task did: what leases cannot prevent. */
  overlaps: number
  /** Admissions that were counted in windows, and claims of slots that were counted at their instant. */
  admissions: number
  slotsTaken: number
  unknownOutcomes: number
  faults: Record<string, number>
}

export interface HistoryReport {
  readonly violations: readonly Violation[]
  readonly totals: Totals
}

export interface CheckerOptions {
  /** How late after its admission a handler may start (the worker's `startWithin`); starts are not judged without it. */
  readonly startWithinMs?: number
  /** How far the times of faults may be from the store's time. */
  readonly toleranceMs?: number
}
