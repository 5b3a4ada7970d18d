export { type Backoff, backoffMs, defaultBackoff, spread } from "./backoff.ts"
export { checkSchedule, create, type NewTask, type When } from "./create.ts"
export {
  PermanentError,
  RateLimitError,
  type RateLimitOptions,
  RescheduleError,
  type RescheduleOptions,
  RetryableError,
} from "./errors.ts"
export {
  describeEntry,
  type HistoryEntry,
  type HistoryEvent,
  historyLimit,
  type NumberedEntry,
  numberHistory,
  trimHistory,
} from "./history.ts"
export { idMaker } from "./id.ts"
export type { Outcome, OutcomeKind } from "./outcome.ts"
export { type GateRef, gateName, isExpiredAt, type TaskRecord } from "./record.ts"
export { canMove, IllegalTransitionError, isFinished, type Status, statuses } from "./status.ts"
export {
  archive,
  type Brief,
  type Change,
  cancel,
  claim,
  completedEntry,
  expire,
  failUnrouted,
  judge,
  type Lease,
  lose,
  type Moved,
  markExpired,
  poisonAfter,
  renew,
  retry,
  routeTask,
  type Settled,
  settle,
} from "./transitions.ts"
