// One shard of many, by the whole of Sluice on the memory store in virtual time: its groups, each with a rate of its own, its part of the workers
// behind dispatchers that ask for many at once, and what a task costs there.
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { connect, defineLimit, defineTask } from "../../dist/index.js"
import { VirtualWorld } from "../../dist/testing/index.js"
import { seeded } from "../limits-http/random.mjs"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc")

const group = defineLimit("group", { rate: { limit: 10, per: "10s", provider: "sliding" } })
const call = defineTask("call", { limits: (input) => [group(input.group)], run: () => {} })
const window = { limit: 10, perMs: 10_000 }
const tickMs = 20
const handlerMs = 300
const settleOf = ({ id, fence }) => ({
  ...{ id, fence, outcome: { kind: "completed", output: null }, spent: [] },
  ...{ sentAgoMs: null, respondedAgoMs: null, rttMs: null },
})

/** Of this process, whatever else the machine does. */
function cpuUsSince(from) {
  const { user, system } = process.cpuUsage(from)
  return user + system
}

function heapBytes() {
  collect()
  return process.memoryUsage().heapUsed
}

/** Asks for all of its workers; what they have finished goes with the next question. */
class Dispatcher {
  constructor(id, room) {
    this.workerId = `dispatcher-${id}`
    this.room = room
    this.running = []
    this.number = 0
    this.askAtMs = 0
  }

  async exchange(store, nowMs) {
    const done = this.running.filter(({ untilMs }) => untilMs <= nowMs)
    if (done.length === 0 && nowMs < this.askAtMs) return null
    this.running = this.running.filter(({ untilMs }) => untilMs > nowMs)
    const max = Math.min(100, this.room - this.running.length)
    const claim = max === 0 ? null : { number: ++this.number, max, types: [{ type: "call", room: max }] }
    const settles = done.map(({ task }) => settleOf(task))
    const answer = await store.exchange({ workerId: this.workerId, leaseMs: 60_000, heartbeats: [], settles, claim })
    this.running.push(...answer.claimed.map((task) => ({ task, untilMs: nowMs + handlerMs })))
    this.askAtMs = answer.more ? nowMs : (answer.nextAtMs ?? Number.POSITIVE_INFINITY)
    return answer
  }
}

/** More than `limit` within any window, of any group. */
function excessOf(starts) {
  let excess = 0
  for (const times of starts.values())
    for (let i = window.limit; i < times.length; i++) if (times[i] - times[i - window.limit] < window.perMs) excess++
  return excess
}

export async function runShard({ groups, workers, dispatchers, perSecond, seconds, seed }) {
  const random = seeded(seed)
  const world = new VirtualWorld({ seed })
  const queue = await connect("memory:", { world, namespace: `shard-${seed}` })
  const crew = Array.from({ length: dispatchers }, (_, i) => new Dispatcher(i, Math.ceil(workers / dispatchers)))
  const before = heapBytes()
  // Every group has something to do at first: as many lanes and gates as there are groups.
  let submitted = 0
  const submit = async (names) => {
    submitted += names.length
    for (let i = 0; i < names.length; i += 1_000)
      await queue.submitMany(
        call,
        names.slice(i, i + 1_000).map((name) => ({ group: name })),
      )
  }
  await submit(Array.from({ length: groups }, (_, i) => `group-${i}`))
  const bytesPerGroup = (heapBytes() - before) / groups
  const starts = new Map()
  const totals = { exchanges: 0, started: 0, touched: 0, us: 0 }
  for (let tick = 0; tick < (seconds * 1_000) / tickMs; tick++) {
    await world.advance(tickMs)
    // Some are wanted far more than others.
    const arriving = Math.round((perSecond * tickMs) / 1_000)
    await submit(Array.from({ length: arriving }, () => `group-${Math.floor(groups ** random()) - 1}`))
    for (const dispatcher of crew) dispatcher.askAtMs = Math.min(dispatcher.askAtMs, world.wallMs())
    const nowMs = world.wallMs()
    const from = process.cpuUsage()
    for (const dispatcher of crew) {
      const answer = await dispatcher.exchange(queue.store, nowMs)
      if (answer === null) continue
      totals.exchanges++
      totals.touched += answer.touched
      totals.started += answer.claimed.length
      for (const { gates } of answer.claimed) {
        const name = gates[0].key
        const times = starts.get(name)
        if (times) times.push(nowMs)
        else starts.set(name, [nowMs])
      }
      if (answer.claimed.length === 0 && !answer.more) break
    }
    totals.us += cpuUsSince(from)
  }
  await queue.close()
  return {
    ...{ submitted, started: totals.started, bytesPerGroup, excess: excessOf(starts) },
    perSecond: totals.started / seconds,
    exchangesPerTask: totals.exchanges / totals.started,
    touchedPerTask: totals.touched / totals.started,
    usPerTask: totals.us / totals.started,
  }
}
