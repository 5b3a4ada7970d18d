// Sluice on one cell of scenarios.mjs: the queue, the worker, `ctx.fetch` and the memory store as they are, in virtual time. Nothing is
// replaced but clock, timers, randomness and the network.
import { connect, defineLimit, defineTask } from "../../../dist/index.js"
import { seeded } from "../../limits-http/random.mjs"
import { createNetwork } from "../emulator/network.mjs"
import { createProvider } from "../emulator/provider.mjs"
import { virtualFetch } from "../emulator/virtual-fetch.mjs"
import { EventLoop } from "../events.mjs"
import { createLog } from "../measure.mjs"
import { heavyTailedCosts } from "../traces.mjs"
import { figuresOf, linesOf } from "../verdict.mjs"
import { setUpCell } from "./run-cell.mjs"

/** Everything that Sluice takes from the outside, on the clock of the benchmark. */
export function worldOn(clock, fetch, seed) {
  const random = seeded(seed)
  const startMs = clock.nowMs()
  return {
    wallMs: () => Math.floor(clock.nowMs()),
    monotonicMs: () => clock.nowMs() - startMs,
    timer: (delayMs, run) => clock.after(delayMs, run),
    turn: (run) => void clock.after(0, run),
    random,
    randomBytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(random() * 256)),
    fetch,
  }
}

const perMs = (ms) => `${ms}ms`

/** What the cell tells a client of the limit. */
function limitFor({ told, provider }) {
  const rate = { limit: provider.limit, per: perMs(provider.perMs) }
  if (told === "nothing") return { adaptive: true }
  // A tenth of the quota at once, as docs/guides/adaptive-limits.md recommends for costs that are learned.
  if (told === "bucket") return { rate: { ...rate, provider: "bucket", burst: provider.limit / 10 } }
  return { rate: told === "fixed" ? { ...rate, provider: "fixed" } : rate }
}

/** So many wait at any time: more would be the same to a gate. */
const backlogSize = 400

/** Tops up a backlog that never ends, but for stretches in which there is nothing to do. */
function keepBusy({ clock, submit, idle }) {
  let waiting = 0
  const isIdle = () => idle.some(({ fromMs, toMs }) => clock.nowMs() >= fromMs && clock.nowMs() < toMs)
  const fill = () => {
    const missing = backlogSize - waiting
    if (isIdle() || missing < backlogSize / 2) return
    waiting += missing
    void submit(missing)
  }
  for (const { toMs } of idle) clock.after(toMs - clock.nowMs(), fill)
  fill()
  return () => {
    waiting--
    fill()
  }
}

function arriveBy({ clock, submit, trace }) {
  for (let i = 0; i < trace.length; ) {
    const { atMs } = trace[i]
    let end = i
    while (end < trace.length && trace[end].atMs === atMs) end++
    const count = end - i
    clock.after(atMs - clock.nowMs(), () => void submit(count))
    i = end
  }
}

/** By how much a gate is behind: what has to flow in until one unit fits again, looked at every second. */
function watchDebt({ clock, queue, provider }) {
  const debts = { most: 0 }
  const look = async () => {
    const [gate] = (await queue.limits.gates("api")).gates
    const waitMs = gate?.opensAt ? gate.opensAt.getTime() - clock.nowMs() : 0
    debts.most = Math.max(debts.most, Math.round((waitMs * provider.limit) / provider.perMs))
    clock.after(1_000, () => void look())
  }
  clock.after(1_000, () => void look())
  return debts
}

/** Answers as `runClient` does. `limit` replaces what the cell would tell. */
export async function runSluice(cell, seed, { limit, concurrency = 500 } = {}) {
  const { provider: options, network, startMs, trace, idle } = setUpCell(cell, seed)
  const log = createLog()
  const clock = new EventLoop(startMs)
  const provider = createProvider({ ...options, observe: log.observe })
  const world = worldOn(clock, virtualFetch({ provider, network: createNetwork(network), clock }), seed)
  const queue = await connect("memory:", { world })
  const api = defineLimit("api", limit ?? limitFor(cell))
  const costs = cell.costs && heavyTailedCosts({ ...cell.costs, seed })
  let done = () => {}
  const call = defineTask("call", {
    limits: (input) => [api("a", input.cost ? { cost: input.input, maxCost: input.mostCost } : {})],
    maxRetries: 100,
    run: async ({ cost, mostCost }, ctx) => {
      const init = cost ? { headers: { "x-cost": String(cost), "x-most-cost": String(mostCost) } } : undefined
      await ctx.fetch("http://provider/a", init)
      if (cost) ctx.spent(cost)
      done()
    },
  })
  const submit = (count) =>
    queue.submitMany(
      call,
      Array.from({ length: count }, () => (costs ? costs() : {})),
    )
  if (trace) arriveBy({ clock, submit, trace })
  else done = keepBusy({ clock, submit, idle })
  const worker = queue.worker([call])
  const failed = worker.run({ concurrency, retention: "1m", lease: "5m" }).then(
    () => null,
    (error) => error,
  )
  const debts = costs ? watchDebt({ clock, queue, provider: options }) : { most: 0 }
  const events = await clock.runUntil(startMs + cell.durationMs)
  const ended = await Promise.race([failed, Promise.resolve("running")])
  if (ended !== "running") throw ended ?? new Error("the worker stopped before the run was over")
  const figures = { ...figuresOf(cell, { provider: options, log, startMs, trace }), debt: debts.most }
  return { log, provider, events, startMs, figures, lines: linesOf(cell, figures), gate: (await queue.limits.gates("api")).gates[0] }
}
