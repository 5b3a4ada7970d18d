// `npm run bench -- http`: the API of a server beside the calls that it makes of its store, on the same store in the same process and the
// same run, and a soak: many clients and open event streams at once. Store and API take turns, and who is first changes from round to
// round, so that a noisy machine is noisy for both. The clients are a process of their own.
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { connect } from "../dist/index.js"
import { Client } from "./http/client.mjs"
import { drive } from "./http/drive.mjs"
import { operations } from "./http/operations.mjs"
import { toMarkdown, toText } from "./http/report.mjs"
import { soak } from "./http/soak.mjs"
import { verdict } from "./http/verdict.mjs"
import { withChildren } from "./limits-http/children.mjs"
import { whole } from "./report/figures.mjs"
import { describeMachine } from "./report/machine.mjs"
import { writeSection } from "./report/write-section.mjs"

const usage =
  "usage: npm run bench -- http [--requests 5000] [--in-flight 32] [--rounds 3] [--clients 200] [--streams 50] [--seconds 60] [--json] [--write]"
const tell = (line) => console.error(line)
const longestMs = 600_000

function readOptions() {
  const numbers = { requests: "5000", "in-flight": "32", rounds: "3", clients: "200", streams: "50", seconds: "60" }
  try {
    const options = Object.fromEntries(Object.entries(numbers).map(([name, usual]) => [name, { type: "string", default: usual }]))
    const { values } = parseArgs({ options: { ...options, json: { type: "boolean" }, write: { type: "boolean" } } })
    for (const name of Object.keys(numbers)) {
      if (!/^\d{1,6}$/.test(values[name])) throw new Error(`--${name}: expected a whole number, got "${values[name]}"`)
      values[name] = Number(values[name])
    }
    return { ...values, inFlight: values["in-flight"] }
  } catch (error) {
    tell(`bench http: ${error.message}\n${usage}`)
    process.exit(2)
  }
}

/** Asks the server's process and takes its answer. */
async function asked(server, message) {
  const answer = server.next(`${message.kind}.done`)
  server.send(message)
  return answer
}

/** The calls of one operation by HTTP, with the CPU time that the server's process took for them. */
async function measureApi(server, url, name, calls, inFlight) {
  const client = new Client(url, inFlight)
  const queue = await connect(url)
  const { ids } = await asked(server, { kind: "prepare", operation: name, calls })
  const call = operations[name].api({ client, queue, ids, inFlight })
  const before = await asked(server, { kind: "mark" })
  const figures = await drive(calls, inFlight, call)
  const after = await asked(server, { kind: "mark" })
  client.close()
  await queue.close()
  return { ...figures, serverCpuUs: (after.cpuUs - before.cpuUs) / calls }
}

async function measureStore(start, store, url, { requests, inFlight, rounds }) {
  const server = start("../http/server.mjs", { url })
  const { url: address } = await server.next("ready")
  const samples = Object.fromEntries(Object.keys(operations).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, { share }] of Object.entries(operations)) {
      const calls = Math.max(inFlight, Math.round(requests * share))
      const sides = {
        store: () => asked(server, { kind: "measure", operation: name, calls, inFlight }),
        api: () => measureApi(server, address, name, calls, inFlight),
      }
      const order = round % 2 === 0 ? ["store", "api"] : ["api", "store"]
      const sample = {}
      for (const side of order) sample[side] = await sides[side]()
      samples[name].push(sample)
      const told = (side) => `${whole(sample[side].perS)}/s, p99 ${sample[side].p99.toFixed(1)} ms`
      tell(`round ${round + 1} of ${rounds}, ${store}, ${name}: store ${told("store")}; API ${told("api")}`)
    }
  }
  await server.kill()
  return { store, samples }
}

async function measureSoak(start, url, { clients, streams, seconds }) {
  const server = start("../http/server.mjs", { url })
  const { url: address } = await server.next("ready")
  const mark = () => asked(server, { kind: "mark" })
  const result = await soak({ url: address, clients, streams, seconds, mark, tell })
  await server.kill()
  return result
}

const options = readOptions()
const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"))
try {
  const machine = describeMachine(folder)
  const load = loadavg()[0]
  const urls = { SQLite: `sqlite:${join(folder, "bench.db")}`, memory: "memory:" }
  const result = await withChildren(longestMs, async (start) => {
    const stores = []
    if (options.requests > 0) for (const [store, url] of Object.entries(urls)) stores.push(await measureStore(start, store, url, options))
    const soaked = options.seconds > 0 ? await measureSoak(start, `sqlite:${join(folder, "soak.db")}`, options) : null
    return {
      benchmark: "http",
      date: new Date().toISOString().slice(0, 10),
      command: `npm run bench -- http --requests ${options.requests} --in-flight ${options.inFlight} --rounds ${options.rounds} --clients ${options.clients} --streams ${options.streams} --seconds ${options.seconds}`,
      machine,
      load,
      ...options,
      stores,
      soak: soaked,
    }
  })
  if (options.write) writeSection(fileURLToPath(new URL("RESULTS.md", import.meta.url)), "http", toMarkdown(result))
  console.log(options.json ? JSON.stringify(result, null, 2) : toText(result))
  const missed = verdict(result)
  if (missed.length > 0) throw new Error(`bench http: ${missed.join("; ")}`)
} catch (error) {
  tell(error.message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
