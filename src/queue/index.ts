export { type ConnectOptions, connect } from "./connect.ts"
export type { Context, Log, LogLevel } from "./context.ts"
export { queueDefaults, taskDefaults, workerDefaults } from "./defaults.ts"
export {
  type AnyTask,
  checkInput,
  defineTask,
  type Handler,
  isTaskDefinition,
  type TaskDefaults,
  type TaskDefinition,
  type TaskOptions,
} from "./definition.ts"
export type { ListOptions, TaskPage } from "./list.ts"
export { type HistoryItem, Queue, type SubmitManyOptions } from "./queue.ts"
export { maskPassword } from "./resolve.ts"
export { type SubmitOptions, submitReaders } from "./submit.ts"
export { Task } from "./task.ts"
