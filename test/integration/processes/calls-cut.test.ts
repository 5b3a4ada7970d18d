// Four processes, one limit, and a store that is cut off for twenty seconds under load: never more than the limit in flight, work goes on
// with shares, and the store's own grants are back within two seconds of its return.

import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { open } from "../../../src/stores/sqlite/index.ts"
import { systemWorld } from "../../../src/world/index.ts"
import { BreakableLine, type Cut } from "./calls/line.ts"
import { serveStore } from "./calls/wire.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-calls-"))
after(() => rmSync(folder, { recursive: true, force: true }))

const limit = 5
const processes = 4
const workers = 4
const leaseMs = 3_000
const cutMs = 20_000

interface Line {
  readonly name: string
  readonly event: "enter" | "leave" | "detached" | "attached" | "lost"
  readonly atMs: number
  readonly isUnderShare?: boolean
  readonly slots?: number | null
}

const nowMs = () => Number(process.hrtime.bigint() / 1_000n) / 1_000
const linesOf = (file: string): Line[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line)

/** The most that were in at once: of all, or of some. A call that enters at the moment at which another leaves comes after it. */
function mostAtOnce(lines: readonly Line[]): number {
  const order = { leave: -1, enter: 1 } as Readonly<Record<string, number>>
  const moves = lines.filter(({ event }) => event in order).sort((a, b) => a.atMs - b.atMs || (order[a.event] ?? 0) - (order[b.event] ?? 0))
  let [inside, most] = [0, 0]
  for (const { event } of moves) {
    inside += order[event] ?? 0
    most = Math.max(most, inside)
  }
  return most
}

async function started(port: number, name: string, file: string): Promise<{ child: ChildProcess; exit: Promise<number | null> }> {
  const script = fileURLToPath(new URL("./calls/child.js", import.meta.url))
  const args = [script, String(port), name, file, String(workers), `${leaseMs}ms`]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const exit = new Promise<number | null>((resolve) => child.on("exit", resolve))
  await new Promise((resolve) => child.stdout?.once("data", resolve))
  return { child, exit }
}

/** Waits until the file tells that something holds; the machine may be busy. */
async function until(file: string, holds: (lines: readonly Line[]) => boolean, expected: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (holds(linesOf(file))) return
    await sleep(100)
  }
  assert.fail(`expected ${expected}`)
}

const first = (lines: readonly Line[], name: string, event: Line["event"], afterMs: number) =>
  lines.find((line) => line.name === name && line.event === event && line.atMs >= afterMs)

const isGranted = (line: Line, name: string, afterMs: number) =>
  line.name === name && line.event === "enter" && line.atMs > afterMs && !line.isUnderShare

const names = Array.from({ length: processes }, (_, i) => `process-${i}`)

/** Cuts the line in the middle of it; when, is what the file is read by. */
async function underLoad(how: Cut, file: string): Promise<{ cutAtMs: number; backAtMs: number }> {
  writeFileSync(file, "")
  const store = await open({ url: `sqlite:${join(folder, `${how}.db`)}?durability=normal`, namespace: "default", world: systemWorld })
  const server = serveStore(store)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const line = new BreakableLine((server.address() as AddressInfo).port)
  const port = await line.listen()
  const children = await Promise.all(names.map((name) => started(port, name, file)))
  try {
    // Each has run, and has had the time to be told its share and to say that it has it.
    await until(file, (lines) => names.every((name) => first(lines, name, "enter", 0)), "each process to run something")
    await sleep(3 * leaseMs)
    const cutAtMs = nowMs()
    line.cutOff(how)
    await sleep(cutMs)
    const backAtMs = nowMs()
    line.restore()
    const isBack = (lines: readonly Line[]) => names.every((name) => lines.some((one) => isGranted(one, name, backAtMs)))
    await until(file, isBack, "each process to run something that the store has granted")
    await sleep(2_000)
    for (const { child } of children) child.kill("SIGTERM")
    assert.deepEqual(await Promise.all(children.map(({ exit }) => exit)), [0, 0, 0, 0])
    return { cutAtMs, backAtMs }
  } finally {
    for (const { child } of children) child.kill("SIGKILL")
    await line.close()
    server.close()
    await store.close()
  }
}

describe("limit.run in four processes, with the store cut off under load", () => {
  for (const how of ["refused", "swallowed"] as const satisfies Cut[]) {
    it(`never has more than the limit in flight, and is back within 2 s (connections ${how})`, { timeout: 180_000 }, async (t) => {
      const file = join(folder, `${how}.jsonl`)
      const { cutAtMs, backAtMs } = await underLoad(how, file)
      const lines = linesOf(file)
      assert.equal(mostAtOnce(lines), limit, "the most in flight at once, at any time")
      const detached = names.map((name) => first(lines, name, "detached", cutAtMs))
      const slots = detached.map((line) => line?.slots ?? 0)
      assert.equal(
        slots.reduce((sum, one) => sum + one, 0),
        limit,
        `the shares, of ${slots}`,
      )
      // By then every lease from before is over, and everybody is down to his share.
      const sharedFromMs = cutAtMs + 3 * leaseMs
      const shared = lines.filter(({ atMs }) => atMs >= sharedFromMs && atMs < backAtMs)
      const under = shared.filter(({ event, isUnderShare }) => event === "enter" && isUnderShare)
      assert.ok(under.length > 100, `expected work to go on under shares, got ${under.length} runs in ${backAtMs - sharedFromMs} ms`)
      for (const [i, name] of names.entries()) {
        const own = shared.filter((line) => line.name === name)
        // Who was inside when we began to look leaves without having entered.
        assert.ok(mostAtOnce(own) <= (slots[i] ?? 0), `expected ${name} to keep to its share of ${slots[i]}, got ${mostAtOnce(own)}`)
      }
      const backMs = names.map((name) => {
        const granted = lines.find((one) => isGranted(one, name, backAtMs))
        return (granted?.atMs ?? Number.POSITIVE_INFINITY) - backAtMs
      })
      assert.ok(Math.max(...backMs) <= 2_000, `expected all to be back within 2 s, got ${backMs.map(Math.round)}`)
      const runs = lines.filter(({ event }) => event === "enter").length
      const lost = lines.filter(({ event }) => event === "lost").length
      t.diagnostic(`${runs} runs, ${under.length} under shares ${slots}, ${lost} lost their slot, back after ${backMs.map(Math.round)} ms`)
    })
  }
})
