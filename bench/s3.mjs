// `npm run bench -- s3`, in parts: empty tasks on an S3 server, submitted in batches and worked off by one, four and sixteen processes, beside
// a plain queue of one object a task on the same server in the same run, at the server's own speed (near) and with 50 ms added to every
// request, as on real S3 (far); what an idle worker asks for (idle); how a process starts where much is there (start). Counts requests and
// bytes, and says what they cost at AWS list prices.
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { whole } from "./report/figures.mjs"
import { describeMachine } from "./report/machine.mjs"
import { writeSection } from "./report/write-section.mjs"
import { toMarkdown, toText } from "./s3/report.mjs"
import { startServer, through } from "./s3/server.mjs"
import { measureStart } from "./s3/startup.mjs"

const usage =
  "usage: npm run bench -- s3 [--part near,far,idle,start] [--tasks 20000] [--plain 1000] [--processes 1,4,16] [--seconds 60] [--finished 1000000] [--live 100000] [--json] [--write]"
const parts = ["near", "far", "idle", "start"]
const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const tell = (line) => console.error(line)
const concurrency = 100
const plainInFlight = 32
const submitBatch = 1_000

function readOptions() {
  try {
    const text = (usual) => ({ type: "string", default: usual })
    const sizes = { tasks: text("20000"), plain: text("1000"), seconds: text("60"), finished: text("1000000"), live: text("100000") }
    const options = { part: text(parts.join(",")), processes: text("1,4,16"), ...sizes }
    const { values } = parseArgs({ options: { ...options, json: { type: "boolean" }, write: { type: "boolean" } } })
    for (const name of Object.keys(sizes)) {
      if (!/^\d{1,8}$/.test(values[name])) throw new Error(`--${name}: expected a whole number, got "${values[name]}"`)
      values[name] = Number(values[name])
    }
    if (!/^\d{1,2}(,\d{1,2})*$/.test(values.processes))
      throw new Error(`--processes: expected numbers such as 1,4, got "${values.processes}"`)
    const wanted = values.part.split(",")
    if (!wanted.every((part) => parts.includes(part))) throw new Error(`--part: expected some of ${parts}, got "${values.part}"`)
    return { ...values, part: wanted, processes: values.processes.split(",").map(Number) }
  } catch (error) {
    tell(`bench s3: ${error.message}\n${usage}`)
    process.exit(2)
  }
}

async function startCounter(url) {
  const port = Number(new URL(new URL(url).searchParams.get("endpoint")).port)
  const child = fork(here("s3/counter.mjs"), [JSON.stringify({ port })])
  const [{ port: listening }] = await once(child, "message")
  const ask = async (told) => {
    const answered = once(child, "message")
    child.send(told)
    return (await answered)[0]
  }
  return { port: listening, take: () => ask({}), delay: (delayMs) => ask({ delayMs }), stop: () => child.disconnect() }
}

const { connect, defineTask } = await import("../dist/index.js")
const task = defineTask("empty", { run: () => {} })

async function submitAll(url, tasks) {
  const queue = await connect(url)
  const startedAtMs = performance.now()
  for (let from = 0; from < tasks; from += submitBatch)
    await queue.submitMany(
      task,
      Array.from({ length: Math.min(submitBatch, tasks - from) }, () => ({})),
    )
  const ms = performance.now() - startedAtMs
  await queue.close()
  return ms
}

function startWorker(url) {
  const child = fork(here("s3/sluice.mjs"), [JSON.stringify({ url, concurrency })])
  const state = { child, done: 0, memory: 0, isReady: false, isEnded: false }
  child.on("message", (told) => {
    state.done = told.done ?? state.done
    state.memory = Math.max(state.memory, told.memory ?? 0)
    state.isReady ||= told.ready === true
    state.isEnded ||= told.ended === true
  })
  child.on("exit", () => {
    state.isEnded = true
  })
  return state
}

const until = async (holds) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Workers stand ready with the tasks in memory before the first begins, so that their start is not measured. */
async function measureSluice(server, counter, count, { tasks }) {
  const url = through(server.url, counter.port, `sluice-${count}-${Date.now()}`)
  await counter.take()
  const submitMs = await submitAll(url, tasks)
  const submitted = await counter.take()
  const workers = Array.from({ length: count }, () => startWorker(url))
  await until(() => workers.every(({ isReady, isEnded }) => isReady || isEnded))
  const startedAtMs = performance.now()
  for (const { child } of workers) child.send("go")
  const sum = () => workers.reduce((total, { done }) => total + done, 0)
  await until(() => sum() >= tasks || workers.every(({ isEnded }) => isEnded))
  const workMs = performance.now() - startedAtMs
  const worked = await counter.take()
  for (const { child, isEnded } of workers) if (!isEnded) child.send("stop")
  await until(() => workers.every(({ isEnded }) => isEnded))
  const memory = Math.max(...workers.map((worker) => worker.memory))
  return { subject: "sluice", processes: count, tasks, submitMs, workMs, submitted, worked, memory }
}

async function runPlain(argument) {
  const child = fork(here("s3/plain.mjs"), [JSON.stringify({ inFlight: plainInFlight, ...argument })])
  const [answer] = await once(child, "message")
  return answer
}

async function measurePlain(server, counter, { plain: tasks }) {
  const url = through(server.url, counter.port, `plain-${Date.now()}`)
  await counter.take()
  const submit = await runPlain({ url, tasks, mode: "submit" })
  const submitted = await counter.take()
  const work = await runPlain({ url, tasks, mode: "work" })
  const worked = await counter.take()
  if (work.count !== tasks) throw new Error(`bench s3: the plain queue worked off ${work.count} of ${tasks} tasks`)
  return { subject: "plain", processes: 1, tasks, submitMs: submit.ms, workMs: work.ms, submitted, worked }
}

async function measureIdle(server, counter, { seconds }) {
  const url = through(server.url, counter.port, `idle-${Date.now()}`)
  const worker = startWorker(url)
  await until(() => worker.isReady)
  worker.child.send("go")
  // It looks ever more rarely: what counts is how it goes on.
  await new Promise((resolve) => setTimeout(resolve, 20_000))
  await counter.take()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  const { counts } = await counter.take()
  worker.child.send("stop")
  await until(() => worker.isEnded)
  return { seconds, counts }
}

async function measureRates(server, counter, delayMs, options) {
  const samples = []
  const told = (sample, name) => {
    samples.push(sample)
    tell(`+${delayMs} ms: ${name}: ${whole((sample.tasks / sample.workMs) * 1_000)} tasks/s`)
  }
  await counter.delay(delayMs)
  for (const count of options.processes) told(await measureSluice(server, counter, count, options), `${count} processes`)
  told(await measurePlain(server, counter, options), "plain")
  await counter.delay(0)
  return samples
}

const sizesOf = (options, ...names) => names.map((name) => ` --${name} ${options[name]}`).join("")
const measures = {
  near: (server, counter, options) => measureRates(server, counter, 0, options),
  far: (server, counter, options) => measureRates(server, counter, 50, options),
  idle: measureIdle,
  start: (server, _counter, options) => measureStart(server, options),
}
const sizes = {
  near: ["tasks", "plain", "processes"],
  far: ["tasks", "plain", "processes"],
  idle: ["seconds"],
  start: ["finished", "live"],
}

const options = readOptions()
const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"))
let server
let counter
try {
  server = await startServer()
  counter = await startCounter(server.url)
  for (const part of options.part) {
    const result = {
      benchmark: "s3",
      part,
      date: new Date().toISOString().slice(0, 10),
      command: `npm run bench -- s3 --part ${part}${sizesOf(options, ...sizes[part])}`,
      server: server.name,
      machine: describeMachine(folder),
      measured: await measures[part](server, counter, options),
    }
    if (options.write) writeSection(here("RESULTS.md"), `s3-${part}`, toMarkdown(result))
    console.log(options.json ? JSON.stringify(result, null, 2) : toText(result))
  }
} catch (error) {
  tell(error.stack ?? error.message)
  process.exitCode = 1
} finally {
  counter?.stop()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
}
