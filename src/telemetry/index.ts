// OpenTelemetry through its API alone: spans and instruments go to whatever SDK the program has set up, and nowhere without one. The
// context travels with the task as a tag, so that a run is in the trace of its submission in whatever process it happens.

import { context, metrics, ROOT_CONTEXT, type Span, type SpanContext, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api"
import { isSluiceError } from "../errors/index.ts"
import { catalogue } from "../http/metrics/catalogue.ts"
import { countProcess, type ProcessTable } from "../http/metrics/process.ts"
import type { Queue } from "../queue/index.ts"
import { type Tracing, traceTag } from "../queue/tracing.ts"
import type { TaskRecord } from "../task/index.ts"

const scope = "sluice"
const parent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** Ways out of a handler that are no failures: later, and too fast. */
const noFailure = ["reschedule", "rate_limited", "cancelled", "shutdown"]

/** From now on: call it before workers are made. Gives back how to end it. */
export function telemetry(queue: Queue): () => void {
  queue.tracing = tracing
  const stop = countProcess(queue, instruments())
  return () => {
    queue.tracing = null
    stop()
  }
}

const tracing: Tracing = {
  submitted({ id, type }) {
    const attributes = {
      "messaging.system": scope,
      "messaging.operation.type": "send",
      "messaging.message.id": id,
      "sluice.task.type": type,
    }
    const span = trace.getTracer(scope).startSpan(`submit ${type}`, { kind: SpanKind.PRODUCER, attributes })
    span.end()
    const { traceId, spanId, traceFlags } = span.spanContext()
    return trace.isSpanContextValid(span.spanContext())
      ? `${traceTag}00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`
      : null
  },

  run(task, handle) {
    const attributes = {
      ...{
        "messaging.system": scope,
        "messaging.operation.type": "process",
        "messaging.message.id": task.id,
        "sluice.task.type": task.type,
      },
      ...{ "sluice.task.attempt": task.attempt, "sluice.task.fence": task.fence },
    }
    const came = contextOf(task)
    const around = came ? trace.setSpanContext(ROOT_CONTEXT, came) : context.active()
    const options = { kind: SpanKind.CONSUMER, attributes }
    return trace.getTracer(scope).startActiveSpan(`run ${task.type}`, options, around, async (span) => {
      try {
        return await handle()
      } catch (error) {
        note(span, error)
        throw error
      } finally {
        span.end()
      }
    })
  },
}

function contextOf({ tags }: TaskRecord): SpanContext | null {
  for (const tag of tags) {
    const [, traceId, spanId, flags] = (tag.startsWith(traceTag) && parent.exec(tag.slice(traceTag.length))) || []
    if (traceId !== undefined && spanId !== undefined && flags !== undefined)
      return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  }
  return null
}

function note(span: Span, error: unknown): void {
  const code = isSluiceError(error) ? error.code : null
  if (code !== null) span.setAttribute("sluice.outcome", code)
  if (code !== null && noFailure.includes(code)) return
  span.recordException(error instanceof Error ? error : String(error))
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) })
}

/** The metrics of the process, under their names with dots. Those of the store are read by whoever scrapes. */
function instruments(): ProcessTable {
  const meter = metrics.getMeter(scope)
  const made = Object.entries(catalogue).map(([name, { type, help, source }]) => {
    const dotted = name.replace(/^sluice_/, "sluice.").replace(/_(total|seconds)$/, "")
    const options = { description: help, ...(name.endsWith("_seconds") ? { unit: "s" } : {}) }
    if (source === "store") return [name, { add: () => {}, observe: () => {} }]
    if (type === "histogram") {
      const histogram = meter.createHistogram(dotted, options)
      return [name, { add: () => {}, observe: (labels: object, value: number) => histogram.record(value, { ...labels }) }]
    }
    const counter = meter.createCounter(dotted, options)
    return [name, { add: (labels: object, by = 1) => counter.add(by, { ...labels }), observe: () => {} }]
  })
  return Object.fromEntries(made) as ProcessTable
}
