// With OpenTelemetry's own SDK: a run is in the trace of its submission, also in another process; the metrics of the process are instruments.

import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { context, metrics, trace } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics"
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { connect, defineTask } from "../../src/queue/index.ts"
import { RescheduleError } from "../../src/task/index.ts"
import { telemetry } from "../../src/telemetry/index.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"

const spans = new InMemorySpanExporter()
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 })

describe("telemetry", () => {
  before(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }))
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
  })
  after(() => reader.shutdown())

  it("puts a run into the trace of its submission, and what the handler traces below it", async () => {
    const world = new VirtualWorld()
    // Two connections, as two processes would have them.
    const [web, works] = await Promise.all([0, 1].map(() => connect("memory:traced", { world })))
    assert.ok(web && works)
    telemetry(web)
    telemetry(works)
    const tracer = trace.getTracer("test")
    const mail = defineTask("mail", {
      run: async () => {
        await null
        tracer.startSpan("send").end()
        return "sent"
      },
    })
    const task = await tracer.startActiveSpan("request", async (span) => {
      const submitted = await web.submit(mail, {}, { tags: ["mine"] })
      span.end()
      return submitted
    })
    assert.deepEqual([task.tags[0], /^trace:00-[0-9a-f]{32}-[0-9a-f]{16}-01$/.test(task.tags[1] ?? "")], ["mine", true])
    const stop = new AbortController()
    const running = works.worker([mail]).run({ signal: stop.signal })
    await world.advanceUntil(async () => (await web.get(task.id))?.status === "completed")
    stop.abort()
    await world.advance(1_000)
    await running
    const told = spans.getFinishedSpans()
    const named = (name: string) => told.find((span) => span.name === name)
    const [request, submit, run, send] = ["request", "submit mail", "run mail", "send"].map(named)
    assert.equal(new Set([request, submit, run, send].map((span) => span?.spanContext().traceId)).size, 1)
    assert.equal(submit?.parentSpanContext?.spanId, request?.spanContext().spanId)
    assert.equal(run?.parentSpanContext?.spanId, submit?.spanContext().spanId)
    assert.equal(send?.parentSpanContext?.spanId, run?.spanContext().spanId)
    assert.equal(run?.attributes["messaging.message.id"], task.id)
  })

  it("a failure is an error of the span; later is none", async () => {
    spans.reset()
    const world = new VirtualWorld()
    const queue = await connect("memory:", { world })
    telemetry(queue)
    const broken = defineTask("broken", {
      maxRetries: 0,
      run: () => {
        throw new Error("broken")
      },
    })
    const later = defineTask("later", {
      maxReschedules: 0,
      run: () => {
        throw new RescheduleError({ delaySeconds: 1 })
      },
    })
    await queue.submit(broken, {})
    await queue.submit(later, {})
    const stop = new AbortController()
    const running = queue.worker([broken, later]).run({ signal: stop.signal })
    await world.advanceUntil(async () => (await queue.counts()).failed === 2)
    stop.abort()
    await world.advance(1_000)
    await running
    const of = (name: string) => spans.getFinishedSpans().find((span) => span.name === name)
    assert.deepEqual([of("run broken")?.status.code, of("run later")?.status.code], [2, 0])
    assert.equal(of("run later")?.attributes["sluice.outcome"], "reschedule")
    await reader.forceFlush()
    const names = measured
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics.map(({ descriptor }) => descriptor.name)))
    for (const name of ["sluice.tasks_submitted", "sluice.tasks_settled", "sluice.task_run"]) assert.ok(names.includes(name), name)
  })

  it("that is ended traces no more", async () => {
    const queue = await connect("memory:")
    telemetry(queue)()
    assert.deepEqual((await queue.submit("a", {})).tags, [])
  })
})
