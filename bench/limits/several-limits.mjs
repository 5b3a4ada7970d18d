// B7: tasks that pass four gates each: a rate for all, a rate for each tenant, slots for each model, and a rate for each model. What is
// completed, of what the tightest of them allows; and how evenly the tenants share it. In virtual time, the whole of Sluice on the memory
// store.
import { connect, defineLimit, defineTask } from "../../dist/index.js"
import { seeded } from "../limits-http/random.mjs"
import { worldOn } from "./clients/sluice.mjs"
import { EventLoop } from "./events.mjs"

const second = 1_000
const minute = 60 * second

export const severalCell = {
  id: "B7 100 tenants, 5 models, a rate for all",
  bench: "B7",
  tenants: 100,
  models: 5,
  /** 50 a second for all bind; tenants together would allow 200, models 75, slots 100 at 200 ms a call. */
  allPerSecond: 50,
  tenantPerSecond: 2,
  modelPerSecond: 15,
  modelSlots: 4,
  callMs: 200,
  durationMs: 10 * minute,
  fromMs: minute,
}

const bucket = (limit, burst) => ({ limit, per: "1s", provider: "bucket", burst })

export async function runSeveral(seed, cell = severalCell) {
  const startMs = Date.UTC(2026, 0, 1)
  const random = seeded(seed)
  const clock = new EventLoop(startMs)
  const world = worldOn(clock, () => Promise.reject(new Error("no network here")), seed)
  const queue = await connect("memory:", { world })
  const all = defineLimit("all", { rate: bucket(cell.allPerSecond, 5) })
  const tenant = defineLimit("tenant", { rate: bucket(cell.tenantPerSecond, 2) })
  const model = defineLimit("model", { rate: bucket(cell.modelPerSecond, 3), concurrency: cell.modelSlots })
  const started = Array.from({ length: cell.tenants }, () => 0)
  const waiting = Array.from({ length: cell.tenants }, () => 0)
  let [completed, mostAtOnce] = [0, 0]
  const running = Array.from({ length: cell.models }, () => 0)
  const call = defineTask("call", {
    limits: (input) => [all(), tenant(`t${input.tenant}`), model(`m${input.model}`)],
    fairBy: (input) => `t${input.tenant}`,
    run: async (input) => {
      started[input.tenant]++
      mostAtOnce = Math.max(mostAtOnce, ++running[input.model])
      await clock.sleep(cell.callMs * (0.5 + random()))
      running[input.model]--
      if (clock.nowMs() >= startMs + cell.fromMs) completed++
      if (--waiting[input.tenant] < 10) await fill(input.tenant)
    },
  })
  // Every tenant has work of every model, at all times.
  const fill = async (one) => {
    waiting[one] += 20
    await queue.submitMany(
      call,
      Array.from({ length: 20 }, (_, i) => ({ tenant: one, model: i % cell.models })),
    )
  }
  for (let one = 0; one < cell.tenants; one++) await fill(one)
  queue
    .worker([call])
    .run({ concurrency: 200, retention: "1m", lease: "5m" })
    .catch(() => {})
  await clock.runUntil(startMs + cell.durationMs)
  const most = (cell.allPerSecond * (cell.durationMs - cell.fromMs)) / second
  return { util: completed / most, completed, most, spread: Math.max(...started) - Math.min(...started), mostAtOnce }
}
