// B5: how far forecasts are from the true start, in one group of ten thousand tasks, while some are cancelled and workers die; and whether
// the error grows in six hours. In virtual time, with the whole of Sluice on the memory store.
import { defineLimit, defineTask } from "../../dist/index.js"
import { Queue } from "../../dist/queue/index.js"
import { resolveStore } from "../../dist/queue/resolve.js"
import { seeded } from "../limits-http/random.mjs"
import { worldOn } from "./clients/sluice.mjs"
import { createNetwork } from "./emulator/network.mjs"
import { createProvider } from "./emulator/provider.mjs"
import { virtualFetch } from "./emulator/virtual-fetch.mjs"
import { EventLoop } from "./events.mjs"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

export const forecastCell = {
  id: "B5 10/10 s, 10,000 tasks, cancels and crashes",
  bench: "B5",
  provider: { accounting: "sliding", limit: 10, perMs: 10 * second },
  tasks: 10_000,
  durationMs: 6 * hour,
  /** Of those that wait, so many are asked about each minute, at most so far ahead: what is cancelled later, nobody can know. */
  asked: 20,
  horizonMs: 10 * minute,
  cancelEveryMs: 60 * second,
  crashEveryMs: 10 * minute,
}

/** A process that may die: from then on its store answers nothing. */
function mortal(store) {
  const life = { isOver: false }
  const never = new Promise(() => {})
  const through = new Proxy(store, {
    get: (target, name) => {
      const found = target[name]
      return typeof found === "function" ? (...given) => (life.isOver ? never : found.apply(target, given)) : found
    },
  })
  return { store: through, life }
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0

export async function runForecasts(seed, cell = forecastCell) {
  const startMs = Date.UTC(2026, 0, 1)
  const random = seeded(seed)
  const clock = new EventLoop(startMs)
  const provider = createProvider(cell.provider)
  const world = worldOn(clock, virtualFetch({ provider, network: createNetwork({ seed }), clock }), seed)
  const store = await (await resolveStore("memory:"))({ url: "memory:", namespace: "bench", world })
  const queue = new Queue(store, world, 262_144)
  const { limit, perMs } = cell.provider
  const api = defineLimit("api", { rate: { limit, per: `${perMs}ms` } })
  const waiting = new Map()
  const started = new Map()
  const told = []
  const call = defineTask("call", {
    limits: () => [api("one")],
    maxRetries: 20,
    run: async (_input, ctx) => {
      if (!started.has(ctx.task.id)) started.set(ctx.task.id, clock.nowMs())
      waiting.delete(ctx.task.id)
      await ctx.fetch("http://provider/one")
    },
  })
  const submit = async (count) => {
    const tasks = await queue.submitMany(
      call,
      Array.from({ length: count }, () => ({})),
      { inPieces: true },
    )
    for (const task of tasks) waiting.set(task.id, task.estimatedStartAt?.getTime() ?? null)
    return tasks
  }
  const live = []
  const work = () => {
    const process = mortal(store)
    const worker = new Queue(process.store, world, 262_144).worker([call])
    worker.run({ concurrency: 20, lease: "30s", retention: "1m" }).catch(() => {})
    live.push(process.life)
  }
  const every = (ms, act) => {
    const again = () => {
      void act()
      clock.after(ms * (0.5 + random()), again)
    }
    clock.after(ms, again)
  }
  const ask = async () => {
    const ids = [...waiting.keys()].slice(0, cell.horizonMs / (perMs / limit))
    for (let i = 0; i < cell.asked && ids.length > 0; i++) {
      const id = ids[Math.floor(random() * ids.length)]
      const at = (await queue.get(id))?.forecast?.at
      if (at) told.push({ id, askedAtMs: clock.nowMs(), forecastMs: at.getTime() })
    }
  }
  const cancelled = new Set()
  await submit(cell.tasks)
  for (let i = 0; i < 4; i++) work()
  every(minute, ask)
  every(cell.cancelEveryMs, async () => {
    const ids = [...waiting.keys()]
    const id = ids[Math.floor(random() * ids.length)]
    if (id === undefined) return
    cancelled.add(id)
    waiting.delete(id)
    await queue.cancel(id).catch(() => {})
  })
  every(cell.crashEveryMs, () => {
    const life = live.shift()
    life.isOver = true
    work()
  })
  // When the ten thousand are through, as much comes as nine tenths of the limit.
  every(30 * second, () =>
    clock.nowMs() - startMs > (cell.tasks * perMs) / limit ? submit(Math.round((27 * limit * second) / perMs)) : null,
  )
  await clock.runUntil(startMs + cell.durationMs)
  return figuresOf({ told, started, cancelled, startMs, cell, queue, call, clock })
}

async function figuresOf({ told, started, cancelled, startMs, cell, queue, call }) {
  const errors = told
    .filter(({ id }) => started.has(id) && !cancelled.has(id))
    .map(({ id, askedAtMs, forecastMs }) => ({ askedAtMs, errorMs: Math.abs(started.get(id) - forecastMs) }))
  const p99 = (list) =>
    percentile(
      list.map(({ errorMs }) => errorMs).sort((a, b) => a - b),
      0.99,
    )
  const since = (fromMs, toMs) => errors.filter(({ askedAtMs }) => askedAtMs >= startMs + fromMs && askedAtMs < startMs + toMs)
  const [firstHour, lastHour] = [since(0, hour), since(cell.durationMs - hour, cell.durationMs)]
  // What has leaked would show in the forecast of a task that nothing is ahead of, once the gate is empty.
  const report = await queue.limits.gates("api")
  const forecast = (await queue.submit(call, {})).estimatedStartAt
  return {
    forecasts: errors.length,
    p50Ms: percentile(
      errors.map(({ errorMs }) => errorMs).sort((a, b) => a - b),
      0.5,
    ),
    p99Ms: p99(errors),
    p99FirstHourMs: p99(firstHour),
    p99LastHourMs: p99(lastHour),
    driftMs: Math.max(0, p99(lastHour) - p99(firstHour)),
    cancelled: cancelled.size,
    started: started.size,
    waiting: report.gates[0]?.waitingTasks ?? 0,
    forecast,
  }
}
