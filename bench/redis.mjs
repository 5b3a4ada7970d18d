// `npm run bench -- redis`: empty tasks on Redis beside BullMQ and bee-queue, on one server, in one run: rates without limits, rates with
// a limit for each of many groups, latency, memory, and claims beside a million tasks that wait. Every measurement of a rate or a latency
// is a process of its own on an empty server; the order rotates from round to round, so that a noisy machine is noisy for all.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Backlog } from "./lanes/backlog.mjs"
import { toMarkdown, toText } from "./redis/report.mjs"
import { startServer } from "./redis/server.mjs"
import { quantile, whole } from "./report/figures.mjs"
import { describeMachine } from "./report/machine.mjs"
import { writeSection } from "./report/write-section.mjs"

const usage =
  "usage: npm run bench -- redis [--tasks 100000] [--groups 10000] [--blocked 1000000] [--seconds 10] [--rounds 3] [--json] [--write]"
const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const tell = (line) => console.error(line)
const claims = 500
const claimSize = 10

function readOptions() {
  const numbers = { tasks: "100000", groups: "10000", blocked: "1000000", seconds: "10", rounds: "3" }
  try {
    const options = Object.fromEntries(Object.entries(numbers).map(([name, usual]) => [name, { type: "string", default: usual }]))
    const { values } = parseArgs({ options: { ...options, json: { type: "boolean" }, write: { type: "boolean" } } })
    for (const name of Object.keys(numbers)) {
      if (!/^\d{1,8}$/.test(values[name])) throw new Error(`--${name}: expected a whole number, got "${values[name]}"`)
      values[name] = Number(values[name])
    }
    return values
  } catch (error) {
    tell(`bench redis: ${error.message}\n${usage}`)
    process.exit(2)
  }
}

const version = (name) => JSON.parse(readFileSync(here(`node_modules/${name}/package.json`), "utf8")).version
const subjects = [
  { key: "sluice", name: "Sluice", script: "sluice" },
  { key: "bullmq", name: `BullMQ ${version("bullmq")}`, script: "bullmq" },
  { key: "bee", name: `bee-queue ${version("bee-queue")}`, script: "bee-queue" },
]

async function runSubject(server, script, argument) {
  await server.clear()
  const argv = [here(`redis/${script}.mjs`), JSON.stringify({ url: server.url, ...argument })]
  const { status, stdout } = spawnSync(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8", timeout: 600_000 })
  if (status !== 0) throw new Error(`bench redis: ${script} failed; see above`)
  return JSON.parse(stdout)
}

async function measureAll(server, { tasks, groups, seconds, rounds }) {
  const modes = [
    { mode: "rate", key: "plain", subjects, argument: { tasks } },
    // Without limits there is nothing to compare.
    { mode: "rate", key: "grouped", subjects: subjects.filter(({ key }) => key !== "bee"), argument: { tasks, groups } },
    { mode: "latency", key: "latency", subjects, argument: { seconds } },
  ]
  const samples = { plain: {}, grouped: {}, latency: {} }
  for (let round = 0; round < rounds; round++) {
    for (const { mode, key, subjects: measured, argument } of modes) {
      for (let i = 0; i < measured.length; i++) {
        const subject = measured[(i + round) % measured.length]
        const sample = await runSubject(server, subject.script, { mode, ...argument })
        samples[key][subject.key] = [...(samples[key][subject.key] ?? []), sample]
        const told =
          mode === "rate"
            ? `submit ${whole(sample.submit.tasksPerS)}/s, process ${whole(sample.work.tasksPerS)}/s, ${whole(sample.bytes)} bytes a waiting task`
            : `p50 ${sample.p50.toFixed(2)} ms, p99 ${sample.p99.toFixed(2)} ms`
        tell(`round ${round + 1} of ${rounds}, ${key}: ${subject.name}: ${told}`)
      }
    }
  }
  return samples
}

/** Claims on an empty namespace and on one with as many tasks that wait, in turn. */
async function measureBlocked(server, { blocked, groups }) {
  await server.clear()
  const sides = { empty: await Backlog.open(server.url, "empty"), full: await Backlog.open(server.url, "full") }
  const startedAtMs = performance.now()
  const waiting = await sides.full.fill(blocked, groups, (done) => tell(`${whole(done)} tasks submitted`))
  const submitPerS = (blocked / (performance.now() - startedAtMs)) * 1_000
  const times = { empty: [], full: [] }
  for (let i = 0; i < claims + 50; i++) {
    for (const [name, side] of Object.entries(sides)) {
      await side.offer(claimSize)
      const { ms, claimed } = await side.claim(claimSize)
      if (claimed !== claimSize) throw new Error(`bench redis: expected ${claimSize} tasks from a claim, got ${claimed}`)
      if (i >= 50) times[name].push(ms)
    }
  }
  for (const side of Object.values(sides)) await side.close()
  const told = (name) => ({ p50: quantile(times[name], 0.5), p99: quantile(times[name], 0.99) })
  return { waiting, submitPerS, empty: told("empty"), full: told("full") }
}

const options = readOptions()
let server
try {
  server = await startServer()
  const machine = describeMachine(server.folder)
  const samples = await measureAll(server, options)
  const blocked = options.blocked > 0 ? await measureBlocked(server, options) : null
  const result = {
    benchmark: "redis",
    date: new Date().toISOString().slice(0, 10),
    command: `npm run bench -- redis --tasks ${options.tasks} --groups ${options.groups} --blocked ${options.blocked} --rounds ${options.rounds}`,
    server: server.version,
    machine,
    ...options,
    subjects,
    samples,
    blocked,
  }
  const text = toText(result)
  if (options.write) writeSection(here("RESULTS.md"), "redis", toMarkdown(result))
  console.log(options.json ? JSON.stringify(result, null, 2) : text)
} catch (error) {
  tell(error.message)
  process.exitCode = 1
} finally {
  await server?.stop()
}
