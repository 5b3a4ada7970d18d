export { type Backoff, backoffMs, defaultBackoff, spread } from "./backoff.ts"
export { checkSchedule, create, type NewTask, setForecast, type When } from "./create.ts"
export {
  type FailureOptions,
  PermanentError,
  RateLimitError,
  type RateLimitOptions,
  RescheduleError,
  type RescheduleOptions,
  RetryableError,
  statusOf,
} from "./errors.ts"
export {
  type HistoryEntry,
  type HistoryEvent,
  historyLimit,
  type NumberedEntry,
  numberHistory,
  trimHistory,
} from "./history.ts"
export { describeEntry } from "./history-text.ts"
export { idMaker } from "./id.ts"
export {
  allTasks,
  type CancelAfterThrottles,
  closeJob,
  countTask,
  createJob,
  endedTasks,
  endJob,
  isDone,
  type JobMark,
  type JobNews,
  type JobRecord,
  type JobStatus,
  type JobTally,
  jobLimit,
  jobRate,
  jobStatuses,
  jobTallies,
  liveTasks,
  type NewJob,
  reopenJob,
  tellJob,
  withJobGate,
} from "./job.ts"
export type { Outcome, OutcomeKind } from "./outcome.ts"
export { type GateRef, gateName, isExpiredAt, type TaskRecord } from "./record.ts"
export {
  advanceSchedule,
  type CatchUp,
  createSchedule,
  type Fired,
  type NewSchedule,
  pauseSchedule,
  replaceSchedule,
  resumeSchedule,
  type ScheduleRecord,
  scheduleKey,
  type TaskTemplate,
  taskAt,
  taskNow,
} from "./schedule.ts"
export { canMove, IllegalTransitionError, isFinished, type Status, statuses } from "./status.ts"
export {
  archive,
  type Brief,
  type Change,
  cancel,
  claim,
  claimedEntry,
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
