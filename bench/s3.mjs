// `npm run bench -- s3`: empty tasks on an S3 server, submitted in batches and worked off by one, four and sixteen processes, beside a plain
// queue of one object a task on the same server in the same run; each at the server's own speed and with 50 ms added to every request, as
// on real S3. Counts requests and bytes, and says what they cost at AWS list prices.
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

const usage = "usage: npm run bench -- s3 [--tasks 20000] [--plain 1000] [--processes 1,4,16] [--idle 60] [--json] [--write]"
const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const tell = (line) => console.error(line)
const concurrency = 100
const plainInFlight = 32
const submitBatch = 1_000

function readOptions() {
  try {
    const text = (usual) => ({ type: "string", default: usual })
    const options = { tasks: text("20000"), plain: text("1000"), processes: text("1,4,16"), idle: text("60") }
    const { values } = parseArgs({ options: { ...options, json: { type: "boolean" }, write: { type: "boolean" } } })
    for (const name of ["tasks", "plain", "idle"]) {
      if (!/^\d{1,8}$/.test(values[name])) throw new Error(`--${name}: expected a whole number, got "${values[name]}"`)
      values[name] = Number(values[name])
    }
    if (!/^\d{1,2}(,\d{1,2})*$/.test(values.processes))
      throw new Error(`--processes: expected numbers such as 1,4, got "${values.processes}"`)
    return { ...values, processes: values.processes.split(",").map(Number) }
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

async function measureIdle(server, counter, seconds) {
  if (seconds === 0) return null
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

const options = readOptions()
const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"))
let server
let counter
try {
  server = await startServer()
  counter = await startCounter(server.url)
  const samples = []
  for (const delayMs of [0, 50]) {
    await counter.delay(delayMs)
    for (const count of options.processes) {
      const sample = { delayMs, ...(await measureSluice(server, counter, count, options)) }
      samples.push(sample)
      tell(`+${delayMs} ms: ${count} processes: ${whole((sample.tasks / sample.workMs) * 1_000)} tasks/s`)
    }
    const sample = { delayMs, ...(await measurePlain(server, counter, options)) }
    samples.push(sample)
    tell(`+${delayMs} ms: plain: ${whole((sample.tasks / sample.workMs) * 1_000)} tasks/s`)
  }
  await counter.delay(0)
  const idle = await measureIdle(server, counter, options.idle)
  const result = {
    benchmark: "s3",
    date: new Date().toISOString().slice(0, 10),
    command: `npm run bench -- s3 --tasks ${options.tasks} --plain ${options.plain} --processes ${options.processes.join(",")}`,
    server: server.name,
    machine: describeMachine(folder),
    samples,
    idle,
  }
  if (options.write) writeSection(here("RESULTS.md"), "s3", toMarkdown(result))
  console.log(options.json ? JSON.stringify(result, null, 2) : toText(result))
} catch (error) {
  tell(error.stack ?? error.message)
  process.exitCode = 1
} finally {
  counter?.stop()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
}
