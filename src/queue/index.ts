export type { AdaptiveOption, LinearOptions, ScoutOptions } from "./adaptive.ts"
export type { AcquireOptions, CallContext, CallStats, CallsOptions, LimitCalls, Slot, TryOptions } from "./calls/index.ts"
export { type ConnectOptions, connect } from "./connect.ts"
export type { Context, FetchOptions, Log, LogLevel, Observed, ObserveOptions, SpentOptions } from "./context.ts"
export { callDefaults, jobDefaults, limitDefaults, queueDefaults, taskDefaults, workerDefaults } from "./defaults.ts"
export {
  type AnyTask,
  checkInput,
  defineTask,
  type GateOptionsOf,
  type Handler,
  isTaskDefinition,
  type TaskDefaults,
  type TaskDefinition,
  type TaskOptions,
} from "./definition.ts"
export type { QueueEvents } from "./events.ts"
export type { ExplainedGate, TaskExplanation } from "./explain.ts"
export type { GateView } from "./gate-view.ts"
export { Job, type JobDocument } from "./job.ts"
export { type JobBounds, jobSettings } from "./job-settings.ts"
export { type JobDetailView, type JobListOptions, type JobOptions, type JobPage, type Jobs, type JobTask, jobReaders } from "./jobs.ts"
export type { LearnedExport, LearnedView, TeachOptions } from "./learned.ts"
export { type AnyLimit, type CostOptions, defineLimit, type Gate, type GateOptions, type Limit, type LimitOptions } from "./limit.ts"
export type { LimitChangeView, LimitSettingView, LimitView, LoggedChangeView } from "./limit-view.ts"
export type { GatesOptions, GatesPage, LimitHistoryOptions, Limits, LimitTarget } from "./limits.ts"
export type { ListOptions, TaskPage } from "./list.ts"
export type { CountingOptions, PolicyOptions, RateOption, RateOptions } from "./policy.ts"
export { policyText } from "./policy-text.ts"
export { type HistoryItem, Queue, type SubmitManyOptions, type WorkerView } from "./queue.ts"
export { routeRefusal } from "./refusals.ts"
export { resolveLog, resolveMigrations } from "./resolve.ts"
export {
  mostCaughtUp,
  readCatchUp,
  type ScheduleOptions,
  scheduleDefaults,
} from "./schedule-options.ts"
export type { SavedSchedule, ScheduleView } from "./schedule-view.ts"
export type { Schedules, UpcomingOptions } from "./schedules.ts"
export { simulate } from "./simulate.ts"
export { type LimitUse, mostTasks, readDurations, readKeys, type SimulateOptions } from "./simulate-options.ts"
export { type SubmitOptions, submitReaders } from "./submit.ts"
export { Task, type TaskForecast } from "./task.ts"
export { flowOf, type GateInput, gatesOf, type TaskGates, type TaskLimits } from "./task-gates.ts"
export { windowText } from "./window-text.ts"
