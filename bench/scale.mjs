// `npm run bench -- scale`: what the plan of docs/internals/scale.md rests on. A rate that many share, handed out in several ways, in virtual time; and
// shards of a million groups, one at a time, by the whole of Sluice on the memory store. Exits with 1 when a line of B11 is missed.
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { percent, toMarkdown, toText } from "./limits/tables.mjs"
import { median, whole } from "./report/figures.mjs"
import { writeSection } from "./report/write-section.mjs"
import { Central } from "./scale/central.mjs"
import { runScheme } from "./scale/run-scheme.mjs"
import { runShard } from "./scale/shard.mjs"
import { Shares } from "./scale/shares.mjs"
import { SlotLeases } from "./scale/slot-leases.mjs"

const usage = "usage: npm run bench -- scale [--seeds 3] [--shards 4] [--seconds 30] [--json] [--write]"
const plan = { groups: 1_000_000, workers: 100_000, shards: 128, dispatchers: 100, perSecond: 1_500 }
const shared = { perSecond: 1_000, durationMs: 60_000 }
const loads = { low: 0.7, high: 1.5 }

const schemes = [
  { name: "asked for each task", make: (given) => new Central(given) },
  ...[100, 500, 2_000].map((leaseMs) => ({
    name: `slot leases of ${leaseMs / 1_000} s`,
    make: (given) => new SlotLeases({ ...given, leaseMs }),
    isHeld: leaseMs === 500,
  })),
  ...[2_000, 8_000].map((leaseMs) => ({ name: `shares for ${leaseMs / 1_000} s`, make: (given) => new Shares({ ...given, leaseMs }) })),
]
/** B11, for whom leases are handed to: so many dispatchers, whatever the number of workers behind them. */
const lines = { operationsPerTask: 0.1, peak: 1.05, used: 0.97 }

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        seeds: { type: "string", default: "3" },
        shards: { type: "string", default: "4" },
        seconds: { type: "string", default: "30" },
        json: { type: "boolean", default: false },
        write: { type: "boolean", default: false },
      },
    })
    const upTo = (name, most) => {
      if (/^[1-9]\d{0,2}$/.test(values[name]) && Number(values[name]) <= most) return Number(values[name])
      throw new Error(`--${name}: expected a whole number from 1 to ${most}, got "${values[name]}"`)
    }
    return { ...values, seeds: upTo("seeds", 10), shards: upTo("shards", plan.shards), seconds: upTo("seconds", 120) }
  } catch (error) {
    console.error(`bench scale: ${error.message}\n${usage}`)
    process.exit(2)
  }
}

const options = readOptions()
const seeds = Array.from({ length: options.seeds }, (_, i) => i + 1)

function measureScheme({ name, make, isHeld }, workers) {
  const under = (load) => {
    const runs = seeds.map((seed) => runScheme({ make, load, workers, seed, ...shared }))
    const of = (figure) => median(runs.map((run) => run[figure]))
    return { operationsPerTask: of("operationsPerTask"), used: of("used"), peak: Math.max(...runs.map(({ peak }) => peak)) }
  }
  return { name, workers, isHeld: Boolean(isHeld), low: under(loads.low), high: under(loads.high) }
}

const shared100 = schemes.map((scheme) => measureScheme(scheme, 100))
const shared1000 = schemes.filter(({ isHeld }) => isHeld).map((scheme) => measureScheme(scheme, 1_000))
const shards = []
for (let shard = 1; shard <= options.shards; shard++) {
  const { groups, workers, dispatchers, perSecond } = plan
  const part = { groups: Math.ceil(groups / plan.shards), workers: Math.ceil(workers / plan.shards) }
  console.error(`shard ${shard} of ${plan.shards}`)
  shards.push({ shard, ...(await runShard({ ...part, dispatchers, perSecond, seconds: options.seconds, seed: shard })) })
}

const both = (write) => (row) => `${write(row.low)} / ${write(row.high)}`
const schemeColumns = [
  { head: "1,000 a second, shared", of: ({ name }) => name },
  { head: "by", of: ({ workers }) => workers },
  { head: "operations a task", of: both(({ operationsPerTask }) => operationsPerTask.toFixed(3)) },
  { head: "of what is possible", of: both(({ used }) => percent(used)) },
  { head: "most in a second", of: both(({ peak }) => `${peak.toFixed(3)} times`) },
]
const shardColumns = [
  { head: "shard", of: ({ shard }) => shard },
  { head: "started", of: ({ started }) => whole(started) },
  { head: "beyond a limit", of: ({ excess }) => excess },
  { head: "exchanges a task", of: ({ exchangesPerTask }) => exchangesPerTask.toFixed(2) },
  { head: "records looked at a task", of: ({ touchedPerTask }) => touchedPerTask.toFixed(1) },
  { head: "CPU µs a task", of: ({ usPerTask }) => whole(usPerTask) },
  { head: "bytes a group", of: ({ bytesPerGroup }) => whole(bytesPerGroup) },
]
const missed = [
  ...shared100
    .filter(({ isHeld }) => isHeld)
    .flatMap(({ name, high, low }) => [
      ...(high.operationsPerTask <= lines.operationsPerTask ? [] : [`${name}: ${high.operationsPerTask.toFixed(3)} operations a task`]),
      ...(Math.max(high.peak, low.peak) <= lines.peak ? [] : [`${name}: ${Math.max(high.peak, low.peak)} times the rate in a second`]),
      ...(Math.min(high.used, low.used) >= lines.used ? [] : [`${name}: ${percent(Math.min(high.used, low.used))} used`]),
    ]),
  ...shards.filter(({ excess }) => excess > 0).map(({ shard, excess }) => `shard ${shard}: ${excess} starts beyond a limit`),
]

const rows = [...shared100, ...shared1000]
if (options.json) console.log(JSON.stringify({ schemes: rows, shards }))
else console.log(`${toText(schemeColumns, rows)}\n\n${toText(shardColumns, shards)}`)
for (const line of missed) console.log(`MISSED ${line}`)
if (options.write) {
  const about = [
    `- Command: \`npm run bench -- scale --seeds ${options.seeds} --shards ${options.shards} --seconds ${options.seconds}\``,
    `- Runtime: Node.js ${process.versions.node}; the first table and all waiting are in virtual time`,
  ]
  const text = `${about.join("\n")}\n\n${toMarkdown(schemeColumns, rows)}\n\n${toMarkdown(shardColumns, shards)}`
  writeSection(fileURLToPath(new URL("RESULTS.md", import.meta.url)), "scale", text)
}
process.exit(missed.length > 0 ? 1 : 0)
