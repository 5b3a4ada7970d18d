// `npm run bench -- sqlite`: submit, claim and settle empty tasks on SQLite, beside the raw cost of the same writes and beside
// plainjob, in the same run. Every measurement is a process of its own on a fresh file; the order rotates from round to round,
// so that a noisy machine is noisy for all.
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { whole } from "./report/figures.mjs"
import { describeMachine } from "./report/machine.mjs"
import { writeSection } from "./report/write-section.mjs"
import { toMarkdown, toText } from "./sqlite/report.mjs"
import { shapeDifferences } from "./sqlite/shape.mjs"

const usage = "usage: npm run bench -- sqlite [--tasks 100000] [--rounds 3] [--json] [--write]"
/** plainjob flushes twice a job; more than this long would tell nothing more about its rate. */
const longestWorkMs = 30_000
const memoryLooks = 3

const subjects = [
  { key: "sluice-full", name: "Sluice", script: "sluice", durability: "full" },
  { key: "rows-full", name: "raw, row by row", script: "raw", durability: "full", writes: "rows" },
  { key: "batches-full", name: "raw, batch statements", script: "raw", durability: "full", writes: "batches" },
  { key: "plainjob-full", name: "plainjob", script: "plainjob", durability: "full" },
  { key: "sluice-normal", name: "Sluice", script: "sluice", durability: "normal" },
  { key: "plainjob-normal", name: "plainjob", script: "plainjob", durability: "normal" },
]

const comparisons = [
  ["sluice-full", "rows-full"],
  ["sluice-full", "batches-full"],
  ["sluice-full", "plainjob-full"],
  ["sluice-normal", "plainjob-normal"],
]

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const tell = (line) => console.error(line)

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        tasks: { type: "string", default: "100000" },
        rounds: { type: "string", default: "3" },
        json: { type: "boolean", default: false },
        write: { type: "boolean", default: false },
      },
    })
    return { ...values, tasks: positive("--tasks", values.tasks), rounds: positive("--rounds", values.rounds) }
  } catch (error) {
    tell(`bench sqlite: ${error.message}\n${usage}`)
    process.exit(2)
  }
}

function positive(name, text) {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new Error(`${name}: expected a whole number above 0, got "${text}"`)
}

/** Null where it, or the driver that it needs, could not be installed. */
function plainjobVersion() {
  if (!existsSync(here("node_modules/better-sqlite3/build/Release/better_sqlite3.node"))) return null
  const file = here("node_modules/plainjob/package.json")
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : null
}

/** Runs one subject in a process and a folder of its own; answers with what it measured. */
function runSubject(folder, script, argument) {
  const place = mkdtempSync(join(folder, "run-"))
  const argv = ["--expose-gc", here(`sqlite/${script}.mjs`), JSON.stringify({ ...argument, file: join(place, "bench.db") })]
  const { status, stdout } = spawnSync(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" })
  rmSync(place, { recursive: true, force: true })
  if (status !== 0) throw new Error(`bench sqlite: ${script} failed; see above`)
  return JSON.parse(stdout)
}

/** Every subject once a round, each round beginning with another one. */
function measureAll(folder, measured, { tasks, rounds }) {
  const samples = Object.fromEntries(measured.map(({ key }) => [key, []]))
  for (let round = 0; round < rounds; round++) {
    const order = measured.map((_, i) => measured[(i + round) % measured.length])
    for (const { key, name, script, durability, writes } of order) {
      const sample = runSubject(folder, script, { tasks, durability, writes, longestWorkMs })
      samples[key].push(sample)
      const rates = `submit ${whole(sample.submit.tasksPerS)}/s, process ${whole(sample.work.tasksPerS)}/s`
      tell(`round ${round + 1} of ${rounds}: ${name}, ${durability}: ${rates}`)
    }
  }
  return samples
}

function checkSameRows(samples) {
  const [sluice] = samples["sluice-full"]
  for (const key of ["rows-full", "batches-full"]) {
    const columns = shapeDifferences(sluice.shape, samples[key][0].shape)
    if (columns.length === 0) continue
    const told = columns.map((column) => `${column}: Sluice ${sluice.shape[column]}, raw ${samples[key][0].shape[column]}`)
    throw new Error(
      `bench sqlite: the raw writers no longer leave the rows that Sluice leaves; bring raw-sql.mjs up to date\n${told.join("\n")}`,
    )
  }
}

const options = readOptions()
const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"))
try {
  const version = plainjobVersion()
  if (version === null) tell("bench sqlite: plainjob or better-sqlite3 is not installed, so Sluice is compared with raw writes only")
  const measured = subjects
    .filter(({ name }) => version !== null || name !== "plainjob")
    .map((subject) => (subject.name === "plainjob" ? { ...subject, name: `plainjob ${version}` } : subject))
  const machine = describeMachine(folder)
  const samples = measureAll(folder, measured, options)
  checkSameRows(samples)
  const memory = runSubject(folder, "memory", { tasks: options.tasks, looks: memoryLooks }).seen
  const result = {
    benchmark: "sqlite",
    date: new Date().toISOString().slice(0, 10),
    command: `npm run bench -- sqlite --tasks ${options.tasks} --rounds ${options.rounds}`,
    machine,
    tasks: options.tasks,
    rounds: options.rounds,
    subjects: measured.map(({ key, name, durability }) => ({ key, name, durability, samples: samples[key] })),
    comparisons: comparisons.filter((pair) => pair.every((key) => key in samples)),
    memory,
  }
  if (options.write) writeSection(here("RESULTS.md"), "sqlite", toMarkdown(result))
  console.log(options.json ? JSON.stringify(result, null, 2) : toText(result))
} catch (error) {
  tell(error.message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
