// The history checker. Nothing in this folder imports anything but this folder.

export { checkHistory, HistoryChecker } from "./checker.ts"
export type * from "./events.ts"
export { type CheckerOptions, type HistoryReport, rules, type Totals, type Violation, type ViolationKind } from "./report.ts"
