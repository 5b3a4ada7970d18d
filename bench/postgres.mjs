// `npm run bench -- postgres`: empty tasks on Postgres beside graphile-worker and pg-boss, on one server, in one run: rates without limits,
// rates with a limit for each of many groups, latency; then claims beside a million tasks that wait, and after five million that have
// finished. Every measurement of a rate or a latency is a process of its own on a database of its own; the order rotates from round to round,
// so that a noisy machine is noisy for all.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { measureBlocked, measureFinished } from "./postgres/claims.mjs"
import { claimsToMarkdown, claimsToText, ratesToMarkdown, ratesToText } from "./postgres/report.mjs"
import { startServer } from "./postgres/server.mjs"
import { whole } from "./report/figures.mjs"
import { describeMachine } from "./report/machine.mjs"
import { writeSection } from "./report/write-section.mjs"

const usage =
  "usage: npm run bench -- postgres [--part rates|blocked|finished] [--tasks 100000] [--groups 10000] [--blocked 1000000] [--finished 5000000] [--seconds 10] [--rounds 3] [--json] [--write]"
const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const tell = (line) => console.error(line)

function readOptions() {
  const numbers = { tasks: "100000", groups: "10000", blocked: "1000000", finished: "5000000", seconds: "10", rounds: "3" }
  try {
    const options = Object.fromEntries(Object.entries(numbers).map(([name, usual]) => [name, { type: "string", default: usual }]))
    const { values } = parseArgs({
      options: { ...options, part: { type: "string" }, json: { type: "boolean" }, write: { type: "boolean" } },
    })
    for (const name of Object.keys(numbers)) {
      if (!/^\d{1,8}$/.test(values[name])) throw new Error(`--${name}: expected a whole number, got "${values[name]}"`)
      values[name] = Number(values[name])
    }
    if (values.part !== undefined && !["rates", "blocked", "finished"].includes(values.part))
      throw new Error(`--part: expected rates, blocked or finished, got "${values.part}"`)
    return values
  } catch (error) {
    tell(`bench postgres: ${error.message}\n${usage}`)
    process.exit(2)
  }
}

const version = (name) => JSON.parse(readFileSync(here(`node_modules/${name}/package.json`), "utf8")).version
const subjects = [
  { key: "sluice", name: "Sluice", script: "sluice" },
  { key: "graphile", name: `graphile-worker ${version("graphile-worker")}`, script: "graphile-worker" },
  { key: "boss", name: `pg-boss ${version("pg-boss")}`, script: "pg-boss" },
]

async function runSubject(server, script, argument) {
  const url = await server.fresh()
  const argv = [here(`postgres/${script}.mjs`), JSON.stringify({ url, ...argument })]
  const beforeUs = server.cpuUs()
  const { status, stdout } = spawnSync(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8", timeout: 600_000 })
  if (status !== 0) throw new Error(`bench postgres: ${script} failed; see above`)
  const afterUs = server.cpuUs()
  return { ...JSON.parse(stdout), serverCpuUs: beforeUs === null || afterUs === null ? null : afterUs - beforeUs }
}

async function measureRates(server, { tasks, groups, seconds, rounds }) {
  const modes = [
    { mode: "rate", key: "plain", argument: { tasks } },
    { mode: "rate", key: "grouped", argument: { tasks, groups } },
    { mode: "latency", key: "latency", argument: { seconds } },
  ]
  const samples = { plain: {}, grouped: {}, latency: {} }
  for (let round = 0; round < rounds; round++) {
    for (const { mode, key, argument } of modes) {
      for (let i = 0; i < subjects.length; i++) {
        const subject = subjects[(i + round) % subjects.length]
        const sample = await runSubject(server, subject.script, { mode, ...argument })
        samples[key][subject.key] = [...(samples[key][subject.key] ?? []), sample]
        const told =
          mode === "rate"
            ? `submit ${whole(sample.submit.tasksPerS)}/s, process ${whole(sample.work.tasksPerS)}/s`
            : `p50 ${sample.p50.toFixed(2)} ms, p99 ${sample.p99.toFixed(2)} ms`
        tell(`round ${round + 1} of ${rounds}, ${key}: ${subject.name}: ${told}`)
      }
    }
  }
  return samples
}

const options = readOptions()
let server
try {
  server = await startServer()
  const machine = describeMachine(server.folder)
  const isAsked = (part) => options.part === undefined || options.part === part
  const sizes = (...names) => names.map((name) => ` --${name} ${options[name]}`).join("")
  const about = (part, ...names) => ({
    benchmark: "postgres",
    date: new Date().toISOString().slice(0, 10),
    command: `npm run bench -- postgres --part ${part}${sizes(...names)}`,
    server: server.version,
    settings: server.settings,
    machine,
    ...options,
    subjects,
  })
  const results = {}
  if (isAsked("rates")) {
    results.rates = { ...about("rates", "tasks", "groups", "seconds", "rounds"), samples: await measureRates(server, options) }
    if (options.write) writeSection(here("RESULTS.md"), "postgres", ratesToMarkdown(results.rates))
  }
  if (isAsked("blocked")) {
    results.blocked = { ...about("blocked", "groups", "blocked"), finished: null, blocked: await measureBlocked(server, options, tell) }
    if (options.write) writeSection(here("RESULTS.md"), "postgres-blocked", claimsToMarkdown(results.blocked))
  }
  if (isAsked("finished")) {
    results.finished = { ...about("finished", "finished"), blocked: null, finished: await measureFinished(server, options.finished, tell) }
    if (options.write) writeSection(here("RESULTS.md"), "postgres-finished", claimsToMarkdown(results.finished))
  }
  const { rates, blocked, finished } = results
  const told = [rates && ratesToText(rates), blocked && claimsToText(blocked), finished && claimsToText(finished)]
  console.log(options.json ? JSON.stringify(results, null, 2) : told.filter(Boolean).join("\n\n"))
} catch (error) {
  tell(error.message)
  process.exitCode = 1
} finally {
  await server?.stop()
}
