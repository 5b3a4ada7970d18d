// `npm start`: the five stories as live load on one store, with a server to look at it and a provider that enforces their limits. Goes on, round after round, until
// Ctrl-C. With --exit it runs one round, prints a table and ends: with 0, or with 1 where a limit was exceeded.

import { setTimeout as sleep } from "node:timers/promises"
import { connect } from "sluice"
import { serve } from "sluice/http"
import { type Provider, startProvider } from "../provider/start.ts"
import { storeUrl } from "../story.ts"
import { stories } from "./stories.ts"
import { tellRound } from "./table.ts"

const exits = process.argv.includes("--exit")
const nextRoundMs = 8_000
/** More than this is never waiting: a round that finds so much left is put off. */
const mostWaiting = 150
const longestRoundMs = 120_000

const stop = new AbortController()
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort())
const pause = (ms: number) => sleep(ms, undefined, { signal: stop.signal }).catch(() => {})

const url = storeUrl()
const provider = await startProvider(Object.assign({}, ...stories.map(({ routes }) => routes)))
const queue = await connect(url)
const server = await serve(queue, { port: 0 })
const tasks = stories.flatMap((story) => story.tasks)
const workers = [1, 2].map((number) => queue.worker(tasks, { id: `worker-${number}`, concurrency: 20, sweep: "1s", grace: "2s" }))

console.log(`
Sluice is at work.

  dashboard  ${server.url}, with the API that it uses at /openapi.json
  store      ${url}
  provider   ${provider.url}, a process that enforces its limits and answers 429 to whoever exceeds them
  workers    ${workers.length}, for these stories:

${stories.map(({ name, about }) => `    ${name.padEnd(14)} ${about}`).join("\n")}

Look at it from another terminal:

  export SLUICE_STORE=${server.url}
  npm run --silent sluice -- counts
  npm run --silent sluice -- limits ls
  npm run --silent sluice -- list --status pending       # then: explain <id>

${exits ? "It ends by itself when everything is done." : "Ctrl-C stops it."}
`)

const working = workers.map((worker) => worker.run({ signal: stop.signal }))
const isSound = await (exits ? oneRound() : manyRounds())
stop.abort()
await Promise.all(working)
await server.close()
await queue.close()
await provider.stop()
process.exitCode = isSound ? 0 : 1

async function submitRound(round: string): Promise<void> {
  for (const story of stories) await story.submit(queue, provider.url, round)
}

async function oneRound(): Promise<boolean> {
  await submitRound("1")
  for (let waitedMs = 0; waitedMs < longestRoundMs && !stop.signal.aborted; waitedMs += 250) {
    const { pending, running } = await queue.counts()
    if (pending + running === 0) return tellRound(queue, provider)
    if (waitedMs % 1_000 === 0) await say(provider)
    await pause(250)
  }
  console.log(`expected everything to be done by now, or nobody to stop it; left: ${JSON.stringify(await queue.counts())}`)
  return false
}

async function manyRounds(): Promise<boolean> {
  for (let round = 1; !stop.signal.aborted; round++) {
    await submitRound(String(round))
    do {
      for (let ms = 0; ms < nextRoundMs && !stop.signal.aborted; ms += 2_000) {
        await say(provider)
        await pause(2_000)
      }
    } while (!stop.signal.aborted && (await queue.counts()).pending > mostWaiting)
  }
  console.log("\nstopping: what runs may finish")
  return true
}

async function say({ seen }: Provider): Promise<void> {
  const { pending, running, completed, failed, cancelled, expired } = await queue.counts()
  const routes = stories.flatMap((story) => Object.keys(story.routes))
  const refused = (await Promise.all(routes.map((route) => seen(route)))).reduce((sum, route) => sum + route.refused, 0)
  console.log(
    `${pending} waiting, ${running} running, ${completed} completed, ${failed} failed, ${cancelled} cancelled, ${expired} expired; 429s so far: ${refused}`,
  )
}
