// The first case on Sluice: four worker processes on one store, one of them killed when half of the tasks have been accepted.
import { connect } from "../../dist/index.js"
import { excessMs, firstWindowMs, mostInWindow, spanMs } from "./arrivals.mjs"
import { withChildren } from "./children.mjs"
import { readLives, untilEmpty } from "./lives.mjs"
import { nowMs } from "./now.mjs"
import { makeTask } from "./roles.mjs"
import { spread } from "./spread.mjs"
import { startProvider } from "./start-provider.mjs"

const ids = ["worker-1", "worker-2", "worker-3", "worker-4"]
const concurrency = 100
const submitBatch = 250

export function runRate(shape, counting, random) {
  const store = shape.storeFor("rate")
  return withChildren(shape.longestRunMs, async (start) => {
    const provider = await startProvider(start, shape, counting, random)
    const options = { url: provider.url, limit: shape.limit, windowMs: shape.windowMs }
    const queue = await connect(store)
    const workers = ids.map((id) =>
      start("worker.mjs", { store, module: "./roles.mjs", options, settings: { id, concurrency, lease: shape.lease } }),
    )
    await Promise.all(workers.map((worker) => worker.next("started")))
    const killed = killHalfWay(provider, workers, shape)
    const submitted = await submitAll(queue, makeTask(options), shape.order(random))
    const killedAtMs = await killed
    await untilEmpty(queue)
    const cpuMs = await stopAll(workers)
    const lives = await readLives(queue, submitted)
    await queue.close()
    return { ...figures(lives, await provider.log(), provider.options, shape), killedAtMs, cpuMs }
  })
}

/** Kills who has a request under way at that moment. */
async function killHalfWay(provider, workers, { tasks }) {
  const workerId = await provider.senderOf(Math.ceil(tasks / 2))
  const atMs = nowMs()
  await workers[ids.indexOf(workerId)].kill()
  return atMs
}

async function submitAll(queue, task, order) {
  const inputs = order.map((guild) => ({ guild }))
  const submitted = []
  for (let from = 0; from < inputs.length; from += submitBatch)
    submitted.push(...(await queue.submitMany(task, inputs.slice(from, from + submitBatch))))
  return submitted
}

/** CPU time of those that were not killed, in all. */
async function stopAll(workers) {
  const live = workers.filter(({ isLive }) => isLive)
  const ends = live.map((worker) => worker.next("stopped"))
  for (const worker of live) worker.send({ kind: "stop" })
  return (await Promise.all(ends)).reduce((sum, { cpuMs }) => sum + cpuMs, 0)
}

function figures(lives, log, providerOptions, shape) {
  const lost = new Set(lives.filter((life) => life.lost > 0).map(({ id }) => id))
  const plain = lives.filter((life) => life.lost === 0 && life.again === 0)
  const accepted = log.filter(({ status }) => status === 200)
  const ms = spanMs(log, ({ id }) => !lost.has(id))
  const arrivedAtMs = new Map(log.map(({ id, atMs }) => [id, atMs]))
  const errorsMs = plain.map(forecastErrorMs)
  return {
    ms,
    ofIdeal: shape.idealMs / ms,
    withLostMs: spanMs(log),
    accepted: accepted.length,
    refused: log.length - accepted.length,
    neverAccepted: shape.tasks - new Set(accepted.map(({ id }) => id)).size,
    mostInWindow: mostInWindow(log, providerOptions),
    completedOnce: lives.filter(({ status, completedAtMs }) => status === "completed" && completedAtMs.length === 1).length,
    lost: lost.size,
    triedAgain: lives.length - plain.length - lost.size,
    forecasts: {
      count: plain.length,
      within: errorsMs.filter((error) => error <= shape.windowMs).length,
      errorMs: spread(errorsMs),
      lostErrorMs: spread(lives.filter(({ id }) => lost.has(id)).map(forecastErrorMs)),
    },
    firstWindowMs: spread(firstWindowMs(log, shape)),
    excessMs: spread(excessMs(log, shape)),
    claimToArrivalMs: spread(plain.map(({ id, claimedAtMs }) => arrivedAtMs.get(id) - claimedAtMs[0])),
    arrivalToCompletedMs: spread(plain.map(({ id, completedAtMs }) => completedAtMs[0] - arrivedAtMs.get(id))),
  }
}

/** Against the first claim. A task without a forecast was never right about its start. */
function forecastErrorMs({ forecastAtMs, claimedAtMs }) {
  return forecastAtMs === null ? Number.POSITIVE_INFINITY : Math.abs(claimedAtMs[0] - forecastAtMs)
}
