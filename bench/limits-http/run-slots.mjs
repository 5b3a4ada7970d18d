// The second case: a concurrency limit shared by worker processes that are killed and started again, with calls that hang among the others.
import { connect } from "../../dist/index.js"
import { withChildren } from "./children.mjs"
import { makeTask } from "./documents.mjs"
import { readLives, untilEmpty } from "./lives.mjs"
import { nowMs } from "./now.mjs"
import { between, shuffled } from "./random.mjs"
import { slotFigures } from "./slot-figures.mjs"

const workerCount = 4
const concurrency = 20
const answerMs = [100, 300]
const pauseMs = [200, 1_200]
/** How many are killed at once, round by round. */
const rounds = [1, 1, 2, 1, 2, 1, 1]
const hanging = 6
const hangTimeout = "1s"

export function runSlots(shape, random) {
  const store = shape.storeFor("slots")
  return withChildren(shape.longestRunMs, async (start) => {
    const seed = random() * 2 ** 32
    const server = start("documents-server.mjs", { answerMs, slots: shape.slots, seed, mostEntries: shape.calls * 20 })
    const { url } = await server.next("listening")
    const options = { url, slots: shape.slots }
    const crew = makeCrew((id) => {
      const settings = { id, concurrency, lease: shape.lease, sweep: "1s" }
      return start("worker.mjs", { store, module: "./documents.mjs", options, settings })
    })
    const queue = await connect(store)
    await Promise.all(Array.from({ length: workerCount }, () => crew.add()))
    const submitted = await submitAll(queue, makeTask(options), shape.calls, random)
    const emptied = untilEmpty(queue)
    const kills = await killInRounds(crew, server, emptied, random)
    await emptied
    const lives = await readLives(queue, submitted)
    await queue.close()
    server.send({ kind: "log" })
    const { log } = await server.next("log")
    return slotFigures({ lives, log, kills, hangs: new Set(submitted.filter(({ input }) => input.hangs).map(({ id }) => id)) }, shape)
  })
}

function makeCrew(startWorker) {
  const workers = new Map()
  let count = 0
  return {
    async add() {
      const id = `worker-${count++}`
      const worker = startWorker(id)
      await worker.next("started")
      workers.set(id, worker)
    },
    async kill(id) {
      const atMs = nowMs()
      const worker = workers.get(id)
      workers.delete(id)
      await worker.kill()
      return { workerId: id, atMs }
    },
    ids: () => [...workers.keys()],
  }
}

async function submitAll(queue, task, calls, random) {
  const order = shuffled(
    random,
    Array.from({ length: calls }, (_, i) => ({ hangs: i < hanging })),
  )
  const each = ({ hangs }) => (hangs ? { timeout: hangTimeout, maxRetries: 0 } : { maxRetries: 10 })
  return queue.submitMany(task, order, { each, inPieces: true })
}

/** Each round at a random moment after all slots were in use again; who was killed is replaced while its slots are still held. */
async function killInRounds(crew, server, emptied, random) {
  const kills = []
  for (const victims of rounds) {
    if ((await Promise.race([untilFull(server), emptied])) !== "full") break
    await after(between(random, ...pauseMs))
    const killed = shuffled(random, crew.ids()).slice(0, victims)
    kills.push(await Promise.all(killed.map((id) => crew.kill(id))))
    await Promise.all(killed.map(() => crew.add()))
  }
  return kills
}

async function untilFull(server) {
  const full = server.next("full")
  server.send({ kind: "full" })
  await full
  return "full"
}

const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
