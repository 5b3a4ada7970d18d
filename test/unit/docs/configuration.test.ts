// The documented defaults are those of the source.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "node:test"
import { settings } from "../../../src/cli/config/settings.ts"
import { isSluiceError } from "../../../src/index.ts"
import { adaptiveSettings } from "../../../src/queue/adaptive.ts"
import { callsEnvironment } from "../../../src/queue/calls/index.ts"
import {
  callDefaults,
  jobDefaults,
  jobSettings,
  limitDefaults,
  queueDefaults,
  scheduleDefaults,
  taskDefaults,
  workerDefaults,
} from "../../../src/queue/index.ts"
import { formatDuration, parseDuration, parseSize } from "../../../src/units/index.ts"
import { Requests } from "../../../src/worker/requests.ts"

const page = readFileSync("docs/reference/configuration.md", "utf8")

/** The rows of each table, by the text of its first heading and the section that it stands in. */
const tables = new Map<string, string[][]>()
let [section, current]: [string, string[][] | null] = ["", null]
for (const line of page.split("\n")) {
  if (line.startsWith("#")) section = line.replace(/^#+ /, "")
  const cells = line.startsWith("|")
    ? line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim())
    : null
  if (!cells) current = null
  else if (current) current.push(cells)
  else {
    current = []
    tables.set(`${section}: ${cells[0]}`, current)
  }
}

/** Option name to the first value in its row. */
function documented(table: string): ReadonlyMap<string, string> {
  const rows = tables.get(table)
  assert.ok(rows, `expected a table "${table}", got ${[...tables.keys()].join(", ")}`)
  const found = new Map<string, string>()
  for (const [names = "", value = ""] of rows) {
    for (const [, name = ""] of names.matchAll(/`([^`]+)`/g)) found.set(name, /`([^`]+)`/.exec(value)?.[1] ?? value)
  }
  return found
}

const [tasks, limits, connections, workers] = ["Tasks", "Limits", "Connections", "Workers"].map((name) => documented(`${name}: option`))

const durations: readonly (readonly [ReadonlyMap<string, string> | undefined, string, number])[] = [
  [tasks, "timeout", taskDefaults.timeoutMs],
  [limits, "slack", limitDefaults.slackMs],
  [limits, "guard", limitDefaults.guardMs],
  [workers, "lease", workerDefaults.leaseMs],
  [workers, "heartbeat", workerDefaults.heartbeatMs],
  [workers, "sweep", workerDefaults.sweepMs],
  [workers, "hello", workerDefaults.helloMs],
  [workers, "grace", workerDefaults.graceMs],
  [workers, "startWithin", workerDefaults.startWithinMs],
  [workers, "retention", workerDefaults.retentionMs],
]

describe("docs/reference/configuration.md", () => {
  for (const [table, option, ms] of durations) {
    it(`tells the default of ${option}`, () => assert.equal(parseDuration(option, table?.get(option)), ms))
  }

  it("tells the others", () => {
    assert.equal(tasks?.get("priority"), String(taskDefaults.priority))
    assert.equal(tasks?.get("maxRetries"), String(taskDefaults.maxRetries))
    assert.equal(tasks?.get("cost"), String(taskDefaults.cost))
    assert.equal(limits?.get("provider"), limitDefaults.provider)
    assert.equal(workers?.get("concurrency"), String(workerDefaults.concurrency))
    assert.equal(workers?.get("schedules"), String(workerDefaults.schedules))
    const schedules = documented("Schedules: option")
    assert.deepEqual([schedules.get("timezone"), schedules.get("catchUp")], [scheduleDefaults.timezone, scheduleDefaults.catchUp])
    assert.equal(connections?.get("namespace"), queueDefaults.namespace)
    assert.equal(parseSize("maxInputBytes", connections?.get("maxInputBytes")), queueDefaults.maxInputBytes)
    const { baseMs, factor, capMs } = workerDefaults.backoff
    assert.equal(workers?.get("backoff"), `{ base: "${baseMs / 1_000}s", factor: ${factor}, cap: "${capMs / 1_000}s" }`)
  })

  it("tells every setting of the command line, its variable and its default", () => {
    const elsewhere = /^(job|calls|scout|linear)\./
    assert.deepEqual(
      tables.get("Where settings come from: setting")?.slice(1),
      settings
        .filter(({ key }) => !elsewhere.test(key))
        .map(({ key, variable, default: usual }) => [`\`${key}\``, `\`${variable}\``, usual === null ? "" : `\`${usual}\``]),
    )
    // Those stand in tables of their own, by the same variables.
    const others = settings.filter(({ key }) => elsewhere.test(key))
    assert.ok(others.length > 30)
    for (const { variable, default: usual } of others) assert.ok(page.includes(`\`${variable}\` | \`${usual}\` |`), `${variable}, ${usual}`)
  })

  for (const preset of ["scout", "linear"] as const) {
    it(`tells every option of ${preset}, its variable and its default`, () => {
      const rows = tables.get(`How a limit learns: option of \`${preset}\``)?.slice(1) ?? []
      assert.deepEqual(
        rows.map(([option, environment, value]) => ({ preset, option, environment, default: value })),
        adaptiveSettings()
          .filter((setting) => setting.preset === preset)
          .map((setting) => ({
            preset,
            option: `\`${setting.option}\``,
            environment: `\`${setting.environment}\``,
            default: `\`${setting.default}\``,
          })),
      )
      assert.ok(rows.every(([, , , meaning]) => meaning))
    })
  }

  it("tells every bound of a job, its variable and its default", () => {
    const rows = tables.get("Jobs: option")?.slice(1) ?? []
    assert.deepEqual(
      rows.map(([option, environment, value]) => [option, environment, value]),
      jobSettings.map((setting) => [`\`${setting.option}\``, `\`${setting.environment}\``, `\`${setting.default}\``]),
    )
    const throttles = rows[3]?.[3] ?? ""
    assert.match(throttles, new RegExp(`${jobDefaults.throttles} refusals in a row`))
    assert.match(throttles, new RegExp(`\`${jobDefaults.throttleDelayMs / 1_000}s\``))
  })

  it("tells every option of calls, its variable and its default", () => {
    const rows = tables.get("Limits outside the queue: option of `calls`")?.slice(1) ?? []
    const { waitMs, leaseMs, fallback, fallbackForMs } = callDefaults
    const texts = { wait: formatDuration(waitMs), lease: formatDuration(leaseMs), fallback, fallbackFor: formatDuration(fallbackForMs) }
    assert.deepEqual(
      rows.map((row) => row.slice(0, 3)),
      Object.entries(callsEnvironment).map(([option, name]) => [
        `\`${option}\``,
        `\`${name}\``,
        `\`${texts[option as keyof typeof texts]}\``,
      ]),
    )
    assert.ok(rows.every(([, , , meaning]) => meaning))
  })

  it("tells what ctx.fetch does with an answer that says nothing of a pace", async () => {
    const table = documented("Requests: option of `ctx.fetch`")
    const blocking = JSON.parse(table.get("blocking") ?? "[]") as number[]
    const times = /tried again up to (\d+) times/.exec(page)?.[1]
    assert.equal(table.get("onRefusal"), "throw")
    for (const status of [400, 403, 404, 500, 502, 503, 504]) {
      const error = await refusalOf(status)
      const expected = blocking.includes(status) ? ["rate_limited", "task", Number(times)] : null
      assert.deepEqual(error, expected, `of ${status}`)
    }
  })
})

/** How it ends the run; null where it does not. */
async function refusalOf(status: number): Promise<unknown> {
  const requests = new Requests({
    task: { type: "call", gates: [] },
    world: { fetch: async () => new Response(null, { status }), monotonicMs: () => 0, wallMs: () => 0, random: () => 0 },
    signal: new AbortController().signal,
    sentAtMs: 0,
    permit: async () => {},
    note: () => {},
  })
  try {
    await requests.fetch("http://api.example.com/")
    return null
  } catch (error) {
    if (!isSluiceError(error)) throw error
    const { scope, retries } = error as { readonly scope?: unknown; readonly retries?: unknown }
    return [error.code, scope, retries]
  }
}
