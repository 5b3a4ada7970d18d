// `npm run bench -- lanes`: what a claim costs beside a million tasks that wait at closed gates, and beside none. Two databases in
// one process, claims on one and the other in turn, so that a noisy machine is noisy for both.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Backlog } from "./lanes/backlog.mjs"
import { toMarkdown, toText } from "./lanes/report.mjs"
import { median, quantile, whole } from "./report/figures.mjs"
import { describeMachine } from "./report/machine.mjs"
import { writeSection } from "./report/write-section.mjs"

const usage = "usage: npm run bench -- lanes [--tasks 1000000] [--gates 10000] [--claims 2000] [--json] [--write]"
const rounds = 5
const size = 10
const worstRatio = 2

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc")

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        tasks: { type: "string", default: "1000000" },
        gates: { type: "string", default: "10000" },
        claims: { type: "string", default: "2000" },
        json: { type: "boolean", default: false },
        write: { type: "boolean", default: false },
      },
    })
    const whole = (name) => {
      if (/^[1-9]\d{0,8}$/.test(values[name])) return Number(values[name])
      throw new Error(`--${name}: expected a whole number above 0, got "${values[name]}"`)
    }
    return { ...values, tasks: whole("tasks"), gates: whole("gates"), claims: whole("claims") }
  } catch (error) {
    console.error(`bench lanes: ${error.message}\n${usage}`)
    process.exit(2)
  }
}

function heapBytes() {
  collect()
  return process.memoryUsage().heapUsed
}

async function measureRound(sides, claims) {
  const times = sides.map(() => [])
  for (let i = 0; i < claims; i++) {
    for (const [s, side] of sides.entries()) {
      await side.backlog.offer(size)
      const { ms, claimed, touched } = await side.backlog.claim(size)
      if (claimed !== size) throw new Error(`bench lanes: expected ${size} tasks from a claim, got ${claimed}`)
      times[s].push(ms)
      side.touchedPerTask = Math.max(side.touchedPerTask, touched / claimed)
    }
  }
  for (const [s, side] of sides.entries()) side.samples.push({ p50: quantile(times[s], 0.5), p99: quantile(times[s], 0.99) })
}

const options = readOptions()
const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"))
try {
  const open = async (name) => ({
    backlog: await Backlog.open(`sqlite:${join(folder, name)}?durability=normal`),
    samples: [],
    touchedPerTask: 0,
    waiting: 0,
  })
  const [empty, full] = [await open("empty.db"), await open("full.db")]
  await measureRound([empty, full], Math.ceil(options.claims / 10))
  empty.heapBytes = heapBytes()
  for (const side of [empty, full]) Object.assign(side, { samples: [], touchedPerTask: 0 })
  const startedAtMs = performance.now()
  full.waiting = await full.backlog.fill(options.tasks, options.gates, (done) => console.error(`${whole(done)} tasks submitted`))
  const submitPerS = (options.tasks / (performance.now() - startedAtMs)) * 1_000
  full.heapBytes = heapBytes()
  for (let round = 0; round < rounds; round++) await measureRound([empty, full], Math.ceil(options.claims / rounds))
  const told = ({ samples, waiting, touchedPerTask, heapBytes: bytes }) => ({
    waiting,
    touchedPerTask,
    heapBytes: bytes,
    p50: median(samples.map(({ p50 }) => p50)),
    p99: median(samples.map(({ p99 }) => p99)),
  })
  const inTurn = (name) => median(full.samples.map((sample, i) => sample[name] / empty.samples[i][name]))
  const result = {
    benchmark: "lanes",
    command: `npm run bench -- lanes --tasks ${options.tasks} --gates ${options.gates} --claims ${options.claims}`,
    machine: describeMachine(folder),
    claims: options.claims,
    size,
    rounds,
    gates: options.gates,
    submitPerS,
    empty: told(empty),
    full: told(full),
    ratios: { p50: inTurn("p50"), p99: inTurn("p99") },
  }
  for (const side of [empty, full]) await side.backlog.close()
  if (options.write) writeSection(fileURLToPath(new URL("RESULTS.md", import.meta.url)), "lanes", toMarkdown(result))
  console.log(options.json ? JSON.stringify(result, null, 2) : toText(result))
  if (result.ratios.p99 > worstRatio) throw new Error(`bench lanes: expected a p99 within ${worstRatio} times that of an empty backlog`)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
