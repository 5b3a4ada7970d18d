// `npm run bench -- limits`: what a limiter has to do, against an emulator of providers that shares no code with Sluice. The whole of
// Sluice runs in virtual time; the baselines run beside it on the same cells. Exits with 1 when a line is missed.
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { draw } from "./limits/draw.mjs"
import { b1Columns, runB1OverHttp } from "./limits/http/run-b1.mjs"
import { b3Columns, runB3OverHttp } from "./limits/http/run-b3.mjs"
import { jobsFor } from "./limits/jobs.mjs"
import { runJobs } from "./limits/pool.mjs"
import { asMarkdown, asText, report } from "./limits/report.mjs"
import { describeMachine } from "./report/machine.mjs"
import { writeSection } from "./report/write-section.mjs"

const usage = "usage: npm run bench -- limits [--only B1,B3] [--cells <regular expression>] [--seeds 1] [--threads n] [--json] [--write]"
const benches = ["B1", "B2", "B3", "B4", "B5", "B7", "B9", "B10", "B1-http", "B3-http"]
/** Over real HTTP, with processes: one after the other, because each wants the machine to itself. */
const overHttp = {
  "B1-http": { title: "B1 over HTTP: four processes on one SQLite file", run: runB1OverHttp, columns: b1Columns },
  "B3-http": { title: "B3 over HTTP: two processes on one SQLite file, time scaled", run: runB3OverHttp, columns: b3Columns },
}
const tell = (line) => console.error(line)
const here = (path) => fileURLToPath(new URL(path, import.meta.url))

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: "string", default: benches.join(",") },
        cells: { type: "string", default: "" },
        seeds: { type: "string", default: "1" },
        threads: { type: "string", default: String(availableParallelism()) },
        json: { type: "boolean", default: false },
        write: { type: "boolean", default: false },
      },
    })
    const only = values.only.split(",")
    const stranger = only.find((name) => !benches.includes(name))
    if (stranger !== undefined) throw new Error(`--only: expected some of ${benches.join(", ")}, got "${stranger}"`)
    if (values.write && (only.length < benches.length || values.cells !== ""))
      throw new Error("--write: expected all cells, because the section holds all")
    return {
      ...values,
      only,
      matching: new RegExp(values.cells),
      seeds: upTo(10, "--seeds", values.seeds),
      threads: upTo(64, "--threads", values.threads),
    }
  } catch (error) {
    tell(`bench limits: ${error.message}\n${usage}`)
    process.exit(2)
  }
}

function upTo(most, name, text) {
  if (/^[1-9]\d?$/.test(text) && Number(text) <= most) return Number(text)
  throw new Error(`${name}: expected a whole number from 1 to ${most}, got "${text}"`)
}

const options = readOptions()
const jobs = jobsFor(options)
if (jobs.length === 0 && !options.only.some((one) => overHttp[one])) {
  tell(`bench limits: expected --cells to match some cell, got "${options.cells}"`)
  process.exit(2)
}
const fromMs = performance.now()
const answers = await runJobs(jobs, { threads: options.threads, tell })
const found = report(jobs, answers)
for (const name of options.only.filter((one) => overHttp[one] && options.matching.test(one))) {
  const { title, run, columns } = overHttp[name]
  tell(`${name}: some minutes of real time`)
  const rows = await run({ seed: 1, tell })
  found.tables.push({ title, columns, rows })
  const missed = rows.flatMap(({ cell, lines }) => lines.filter(({ isMet }) => !isMet).map((line) => ({ cell, ...line })))
  found.missed.push(...missed.map(({ cell, what, wanted, got }) => `${cell.id}: ${what}: ${got}, wanted ${wanted}`))
}
const tookS = Math.round((performance.now() - fromMs) / 1_000)
if (options.json) console.log(JSON.stringify(jobs.map((job, i) => ({ ...job, ...answers[i], times: undefined }))))
else console.log(asText(found))
for (const line of found.missed) console.log(`MISSED ${line}`)
tell(`${jobs.length} runs in ${tookS} s; ${found.missed.length === 0 ? "every line holds" : `${found.missed.length} lines missed`}`)
const files = draw(jobs, answers, here("results"))
if (files.length > 0) tell(`charts: ${files.map((file) => `bench/results/${file}`).join(", ")}`)
if (options.write) {
  const { cpu, node } = describeMachine(here("."))
  const missed = found.missed.length === 0 ? "Every line holds." : `Missed:\n\n${found.missed.map((line) => `- ${line}`).join("\n")}`
  const seeds = options.seeds === 1 ? "seed 1" : `seeds 1 to ${options.seeds}: the median, then the worst`
  writeSection(here("RESULTS.md"), "limits", [`${cpu}; ${node}; ${seeds}; ${tookS} s.`, missed, asMarkdown(found)].join("\n\n"))
}
process.exit(found.missed.length === 0 ? 0 : 1)
