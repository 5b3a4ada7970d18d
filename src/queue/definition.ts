// A task type: its name, its schema, its defaults and the code that runs it. Types of input and output are inferred.

import type { StandardSchemaV1 } from "@standard-schema/spec"
import { SluiceError, shown } from "../errors/index.ts"
import { anything, type Duration, oneOf, orNull, parseDuration, parseName, parseSeconds, readOptions, wholeNumber } from "../units/index.ts"
import type { Context } from "./context.ts"
import { taskDefaults } from "./defaults.ts"
import { type AnyLimit, type Gate, isGate, isLimit, readCost, readFunction } from "./limit.ts"
import type { TaskLimits } from "./task-gates.ts"

/** `ctx.task.input` is what was submitted; the first argument is what the schema made of it. */
export type Handler<Parsed, Output, Raw = Parsed> = (input: Parsed, context: Context<Raw>) => Output | Promise<Output>

export interface TaskDefaults {
  readonly timeout?: Duration
  readonly timeoutSeconds?: number
  readonly maxRetries?: number
  readonly maxReschedules?: number | null
  readonly maxThrottles?: number | null
  readonly priority?: number
}

export interface TaskOptions extends TaskDefaults {
  /** "thread" runs the handler in a worker thread, which is terminated at the timeout: for handlers that block. */
  readonly isolate?: "thread"
  /** `import.meta.url` of the module that exports the task: where the thread finds it. `sluice work` fills it in. */
  readonly module?: string
}

/** What holds a task back, from its parsed input. */
export interface GateOptionsOf<Parsed> {
  /** The gates that it passes, such as `(input) => [api(input.host)]`, or a list of limits. */
  readonly limits?: TaskLimits<Parsed>
  /** What a run costs at gates that do not say otherwise; 1 if not given. */
  readonly cost?: number | ((input: Parsed) => number)
  /** What tasks of this type are shared out fairly between; the submit option `flow` wins. */
  readonly fairBy?: (input: Parsed) => string
}

export interface TaskDefinition<Raw = unknown, Parsed = Raw, Output = unknown> {
  readonly type: string
  readonly input: StandardSchemaV1<Raw, Parsed> | null
  readonly defaults: TaskDefaults
  readonly limits: TaskLimits<Parsed>
  readonly cost: number | ((input: Parsed) => number)
  readonly fairBy: ((input: Parsed) => string) | null
  readonly isolate: "thread" | null
  readonly module: string | null
  readonly run: Handler<Parsed, Output, Raw>
}

/** Any definition, whatever it takes and gives. Functions take their input contravariantly, hence `never`. */
export interface AnyTask extends Omit<TaskDefinition, "run" | "limits" | "cost" | "fairBy"> {
  readonly limits: ((input: never) => readonly Gate[]) | readonly (AnyLimit | Gate)[]
  readonly cost: number | ((input: never) => number)
  readonly fairBy: ((input: never) => string) | null
  readonly run: (input: never, context: never) => unknown
}

/** A type of task: which gates it passes, its budgets, and the handler that runs it. With `input`, any Standard Schema, inputs are checked and types inferred. */
export function defineTask<Schema extends StandardSchemaV1, Output>(
  type: string,
  options: TaskOptions &
    GateOptionsOf<StandardSchemaV1.InferOutput<Schema>> & {
      readonly input: Schema
      readonly run: Handler<StandardSchemaV1.InferOutput<Schema>, Output, StandardSchemaV1.InferInput<Schema>>
    },
): TaskDefinition<StandardSchemaV1.InferInput<Schema>, StandardSchemaV1.InferOutput<Schema>, Output>
export function defineTask<Input, Output>(
  type: string,
  options: TaskOptions & GateOptionsOf<Input> & { readonly run: Handler<Input, Output> },
): TaskDefinition<Input, Input, Output>
export function defineTask(type: string, options: unknown): TaskDefinition {
  const where = `defineTask ${shown(type)}`
  const { input, run, limits, cost, fairBy, isolate, module, ...defaults } = readOptions(where, options, {
    input: readSchema,
    run: readHandler,
    limits: readLimits,
    cost: (name, value) => (typeof value === "function" ? readFunction(name, value) : readCost(name, value)),
    fairBy: readFunction,
    isolate: oneOf("thread"),
    module: (name, value) => readModule(name, value),
    ...defaultReaders,
  })
  if (!run) throw new SluiceError("invalid_option", `${where}: expected run: async (input, ctx) => …, got nothing`)
  return {
    type: parseName("task type", type),
    input: input ?? null,
    defaults,
    limits: limits ?? [],
    cost: cost ?? taskDefaults.cost,
    fairBy: fairBy ?? null,
    isolate: isolate ?? null,
    module: module ?? null,
    run,
  }
}

/** Checked where they are written, so that a mistake shows at the definition and not at the first submission. */
const defaultReaders = {
  timeout: (name: string, value: unknown) => checked(name, value, parseDuration) as Duration,
  timeoutSeconds: (name: string, value: unknown) => checked(name, value, parseSeconds) as number,
  maxRetries: wholeNumber(0, 1_000_000),
  maxReschedules: orNull(wholeNumber(0, 1_000_000_000)),
  maxThrottles: orNull(wholeNumber(0, 1_000_000_000)),
  priority: wholeNumber(-32_768, 32_767),
}

function checked(name: string, value: unknown, reader: (name: string, value: unknown) => unknown): unknown {
  reader(name, value)
  return value
}

function readSchema(name: string, value: unknown): StandardSchemaV1 {
  const schema = anything<StandardSchemaV1>()(name, value)
  if (typeof schema?.["~standard"]?.validate === "function") return schema
  throw new SluiceError("invalid_option", `${name}: expected a Standard Schema (zod, valibot, arktype, …), got ${shown(value)}`)
}

function readHandler(name: string, value: unknown): Handler<unknown, unknown> {
  if (typeof value === "function") return value as Handler<unknown, unknown>
  throw new SluiceError("invalid_option", `${name}: expected a function, got ${shown(value)}`)
}

function readLimits(name: string, value: unknown): TaskLimits<unknown> {
  if (typeof value === "function" && !isLimit(value)) return value as TaskLimits<unknown>
  if (!Array.isArray(value))
    throw new SluiceError(
      "invalid_option",
      `${name}: expected an array of limits, or a function (input) => gates, got ${isLimit(value) ? "a limit; put it into an array" : shown(value)}`,
    )
  for (const [i, one] of value.entries()) {
    if (isLimit(one) || isGate(one)) continue
    throw new SluiceError(
      "invalid_option",
      `${name}[${i}]: expected what defineLimit gives, or a gate of it such as api("key"), got ${shown(one)}`,
    )
  }
  return value
}

function readModule(name: string, value: unknown): string {
  if (typeof value === "string" && value.startsWith("file:")) return value
  throw new SluiceError("invalid_option", `${name}: expected import.meta.url of the module that exports the task, got ${shown(value)}`)
}

/** Recognised by shape, because the module may have been loaded with its own copy of this package. */
export function isTaskDefinition(value: unknown): value is AnyTask {
  if (typeof value !== "object" || value === null) return false
  const candidate = value as Partial<AnyTask>
  return typeof candidate.type === "string" && typeof candidate.run === "function" && "defaults" in candidate
}

export type Checked = { readonly kind: "ok"; readonly value: unknown } | { readonly kind: "refused"; readonly error: SluiceError }

/** The input as the schema sees it, or why it does not fit. A promise only where the schema needs one: most do not, and tasks are many. */
export function checkInput(task: AnyTask, input: unknown): Checked | Promise<Checked> {
  if (!task.input) return { kind: "ok", value: input }
  const result = task.input["~standard"].validate(input)
  return "then" in result ? result.then((late) => judged(task, late)) : judged(task, result)
}

function judged(task: AnyTask, result: StandardSchemaV1.Result<unknown>): Checked {
  if (!result.issues) return { kind: "ok", value: result.value }
  const issues = result.issues.slice(0, 5).map(({ message, path }) => {
    const at = (path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".")
    return at === "" ? message : `${at}: ${message}`
  })
  return { kind: "refused", error: new SluiceError("invalid_input", `input of ${task.type}: ${issues.join("; ")}`) }
}
