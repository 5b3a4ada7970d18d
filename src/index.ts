// The public names, nothing else.

export { type ErrorCode, isSluiceError, SluiceError } from "./errors/index.ts"
export {
  type AnyTask,
  type ConnectOptions,
  type Context,
  connect,
  defineTask,
  type Handler,
  type HistoryItem,
  type ListOptions,
  type Log,
  type LogLevel,
  type Queue,
  type SubmitManyOptions,
  type SubmitOptions,
  Task,
  type TaskDefinition,
  type TaskOptions,
  type TaskPage,
} from "./queue/index.ts"
export type { StoreDescription, TaskDocument } from "./store/index.ts"
export {
  IllegalTransitionError,
  PermanentError,
  RescheduleError,
  type RescheduleOptions,
  RetryableError,
  type Status,
} from "./task/index.ts"
export type { Duration, Instant, Size } from "./units/index.ts"
export type { RunOptions, Worker, WorkerEvents, WorkerOptions } from "./worker/index.ts"
