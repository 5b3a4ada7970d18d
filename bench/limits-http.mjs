// `npm run bench -- limits-http`: limits over real HTTP, on SQLite, Redis, Postgres or S3, with worker processes that are killed. A provider that
// shares no code with Sluice counts what arrives and refuses what is too much; Bottleneck and p-throttle do the same work beside, as far as
// they can. Exits with 1 when a pass line is missed.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { seeded } from "./limits-http/random.mjs"
import { toMarkdown, toText } from "./limits-http/report.mjs"
import { runLibrary } from "./limits-http/run-library.mjs"
import { makeShape } from "./limits-http/shape.mjs"
import { stores } from "./limits-http/stores.mjs"
import { rateLines, slotLines } from "./limits-http/verdict.mjs"
import { describeMachine } from "./report/machine.mjs"
import { writeSection } from "./report/write-section.mjs"

const usage =
  "usage: npm run bench -- limits-http [--tasks 2000] [--guilds 50] [--window-seconds 10] [--calls 800] [--store sqlite|redis|postgres|s3] [--only sluice,slots,bottleneck,p-throttle] [--seed n] [--json] [--write]"
const countings = ["fixed", "sliding"]
const parts = ["sluice", "slots", "bottleneck", "p-throttle"]

const libraries = [
  { part: "bottleneck", script: "bottleneck.mjs", strict: false, mode: "" },
  { part: "p-throttle", script: "p-throttle.mjs", strict: false, mode: "" },
  { part: "p-throttle", script: "p-throttle.mjs", strict: true, mode: ", strict" },
]

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const tell = (line) => console.error(line)

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        tasks: { type: "string", default: "2000" },
        guilds: { type: "string", default: "50" },
        "window-seconds": { type: "string", default: "10" },
        calls: { type: "string", default: "800" },
        store: { type: "string", default: "sqlite" },
        only: { type: "string", default: parts.join(",") },
        seed: { type: "string", default: String(1 + Math.floor(Math.random() * 999_999)) },
        json: { type: "boolean", default: false },
        write: { type: "boolean", default: false },
      },
    })
    const only = values.only.split(",")
    const stranger = only.find((part) => !parts.includes(part))
    if (stranger !== undefined) throw new Error(`--only: expected some of ${parts.join(", ")}, got "${stranger}"`)
    if (!Object.hasOwn(stores, values.store))
      throw new Error(`--store: expected ${Object.keys(stores).join(" or ")}, got "${values.store}"`)
    const ofStore = values.store === "sqlite" ? parts : ["sluice", "slots"]
    if (values.write && !ofStore.every((part) => only.includes(part)))
      throw new Error(`--write: expected all parts (${ofStore.join(", ")}), because the section holds all`)
    const numbers = ["tasks", "guilds", "window-seconds", "calls", "seed"].map((name) => [name, positive(`--${name}`, values[name])])
    return { ...values, only, ...Object.fromEntries(numbers) }
  } catch (error) {
    tell(`bench limits-http: ${error.message}\n${usage}`)
    process.exit(2)
  }
}

function positive(name, text) {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new Error(`${name}: expected a whole number from 1 to 999999, got "${text}"`)
}

/** Null where it is not installed. */
function versionOf(name) {
  const file = here(`node_modules/${name}/package.json`)
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : null
}

async function measureLibraries(shape, random, { only }) {
  const measured = []
  for (const { part, script, strict, mode } of libraries.filter((library) => only.includes(library.part))) {
    const version = versionOf(part)
    if (version === null) tell(`bench limits-http: ${part} is not installed, so it is left out`)
    for (const counting of version === null ? [] : countings) {
      const name = `${part} ${version}${mode}`
      tell(`${name}, ${counting}`)
      const run = await runLibrary({ script, strict }, shape, counting, random)
      measured.push({ name, counting, isDurable: false, ofIdeal: shape.idealMs / run.ms, ...run })
    }
  }
  return measured
}

async function measureSluice(shape, random, { only }) {
  const [rates, lines] = [[], []]
  if (only.includes("sluice")) {
    const { runRate } = await import("./limits-http/run-rate.mjs")
    for (const counting of countings) {
      tell(`Sluice, ${counting}`)
      const run = await runRate(shape, counting, random)
      rates.push({ name: "Sluice", counting, isDurable: true, ...run })
      lines.push(...rateLines(run, shape).map((line) => ({ of: counting, ...line })))
    }
  }
  if (!only.includes("slots")) return { rates, slots: null, lines }
  const { runSlots } = await import("./limits-http/run-slots.mjs")
  tell("Sluice, slots")
  const slots = await runSlots(shape, random)
  lines.push(...slotLines(slots, shape).map((line) => ({ of: "slots", ...line })))
  return { rates, slots, lines }
}

const options = readOptions()
const { tasks, guilds, "window-seconds": windowSeconds, calls, seed, store } = options
let endStore = () => {}
const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"))
try {
  const machine = describeMachine(folder)
  const { storeFor, end } = await stores[store](folder)
  endStore = end
  const shape = makeShape({ tasks, guilds, windowSeconds, calls, storeFor })
  const random = seeded(seed)
  const { rates, slots, lines } = await measureSluice(shape, random, options)
  const result = {
    benchmark: "limits-http",
    date: new Date().toISOString().slice(0, 10),
    command: `npm run bench -- limits-http --tasks ${tasks} --guilds ${guilds} --window-seconds ${windowSeconds} --calls ${calls} --store ${store} --seed ${seed}`,
    store,
    seed,
    machine,
    tasks,
    guilds,
    limit: shape.limit,
    windowMs: shape.windowMs,
    idealMs: shape.idealMs,
    rates: [...rates, ...(await measureLibraries(shape, random, options))],
    slots,
    lines,
  }
  if (options.write) writeSection(here("RESULTS.md"), store === "sqlite" ? "limits-http" : `limits-http-${store}`, toMarkdown(result))
  console.log(options.json ? JSON.stringify(result, null, 2) : toText(result))
  if (lines.some(({ isMet }) => !isMet)) process.exitCode = 1
} catch (error) {
  tell(`bench limits-http: ${error.message} (seed ${seed})`)
  process.exitCode = 1
} finally {
  await endStore()
  rmSync(folder, { recursive: true, force: true })
  // A run that was cut off may still wait for something that never comes.
  process.exit()
}
