// The closing line: what was done to the queue, and what was lost by it, in one line that can be compared with others.

import type { ViolationKind } from "../../src/testing/index.ts"
import type { ChaosResult } from "./chaos.ts"

/** B8: less would mean that kills and stalls cost more than the leases they have to cost. */
export const leastSlotUse = 0.98

export interface Totals {
  readonly tasks: number
  readonly kills: number
  readonly pauses: number
  readonly restarts: number
  /** Of the way to the store: of one process, and of all at once. */
  readonly cuts: number
  readonly partitions: number
  readonly lostReplies: number
  readonly lost: number
  readonly doubleTerminal: number
  readonly staleSettlesAccepted: number
  readonly windowExcess: number
  readonly slotsLeaked: number
  readonly unattributedDuplicates: number
  /** Of the checker's other rules: fences, overlapping leases, slots, keys, indexes, what was not drained. */
  readonly otherViolations: number
  /** Null where it was not measured. */
  readonly slotUse: number | null
}

const columns: Readonly<Partial<Record<ViolationKind, keyof Totals>>> = {
  lost: "lost",
  never_ran: "lost",
  double_terminal: "doubleTerminal",
  stale_settle: "staleSettlesAccepted",
  window_excess: "windowExcess",
  start_excess: "windowExcess",
  closed_gate: "windowExcess",
  slot_leak: "slotsLeaked",
  unattributed_run: "unattributedDuplicates",
}

export function totalsOf({ storms, slots }: ChaosResult): Totals {
  const reports = [...storms, ...(slots ? [slots] : [])].map(({ report }) => report)
  const violations = reports.flatMap((report) => report.violations)
  const sum = <T>(values: readonly T[], of: (value: T) => number) => values.reduce((all, value) => all + of(value), 0)
  const inColumn = (column: keyof Totals) => violations.filter(({ kind }) => (columns[kind] ?? "otherViolations") === column).length
  return {
    tasks: sum(reports, ({ totals }) => totals.tasks),
    kills: sum(reports, ({ totals }) => totals.faults.kill ?? 0),
    pauses: sum(storms, ({ done }) => done.pauses) + (slots?.stalls ?? 0),
    restarts: sum(storms, ({ done }) => done.restarts),
    cuts: sum(storms, ({ done }) => done.cuts),
    partitions: sum(storms, ({ done }) => done.partitions),
    lostReplies: sum(reports, ({ totals }) => totals.faults.lost_reply ?? 0),
    lost: inColumn("lost"),
    doubleTerminal: inColumn("doubleTerminal"),
    staleSettlesAccepted: inColumn("staleSettlesAccepted"),
    windowExcess: inColumn("windowExcess"),
    slotsLeaked: inColumn("slotsLeaked"),
    unattributedDuplicates: inColumn("unattributedDuplicates"),
    otherViolations: inColumn("otherViolations"),
    slotUse: slots?.use.share ?? null,
  }
}

export function isGood(totals: Totals): boolean {
  const { lost, doubleTerminal, staleSettlesAccepted, windowExcess, slotsLeaked, unattributedDuplicates, otherViolations, slotUse } = totals
  const broken = lost + doubleTerminal + staleSettlesAccepted + windowExcess + slotsLeaked + unattributedDuplicates + otherViolations
  return broken === 0 && (slotUse ?? 1) >= leastSlotUse
}

export function closingLine(store: string, totals: Totals): string {
  const { tasks, kills, pauses, restarts, cuts, partitions, lostReplies } = totals
  const done = `${tasks} tasks, ${kills} kills, ${pauses} pauses, ${restarts} restarts, ${cuts} cuts, ${partitions} partitions, ${lostReplies} lost replies`
  const broken = [
    `${totals.lost} lost`,
    `${totals.doubleTerminal} double-terminal`,
    `${totals.staleSettlesAccepted} stale settles accepted`,
    `${totals.windowExcess} window excess`,
    `${totals.slotsLeaked} slots leaked`,
    `${totals.unattributedDuplicates} unattributed duplicates`,
    `${totals.otherViolations} other violations`,
  ]
  const use = totals.slotUse === null ? "" : `; ${(totals.slotUse * 100).toFixed(2)} % slot use`
  return `chaos ${store}: ${done}: ${broken.join(", ")}${use}`
}
