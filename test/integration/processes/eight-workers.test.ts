// Eight worker processes on one SQLite file, killed while they run: nothing is lost and nothing is settled twice.

import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { after, describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { connect, type Queue } from "../../../src/index.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-processes-"))
after(() => rmSync(folder, { recursive: true, force: true }))

const tasks = 10_000
const processes = 8
const killEvery = 600

/** Worker processes, and every settle that the store has accepted from any of them. */
class Fleet {
  readonly settled: { task: string; fence: number; status: string }[] = []
  kills = 0
  private readonly url: string
  private readonly running = new Map<string, { child: ChildProcess; exit: Promise<number | null> }>()
  private made = 0

  constructor(url: string) {
    this.url = url
  }

  async start(): Promise<void> {
    const id = `worker-${++this.made}`
    const script = fileURLToPath(new URL("./child.js", import.meta.url))
    const child = spawn(process.execPath, [script, this.url, id], { stdio: ["ignore", "pipe", "inherit"] })
    const exit = new Promise<number | null>((resolve) => child.on("exit", resolve))
    this.running.set(id, { child, exit })
    await new Promise<void>((resolve) => {
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
        const [word, task = "", fence, status = ""] = line.split(" ")
        if (word === "ready") resolve()
        if (word === "settled") this.settled.push({ task, fence: Number(fence), status })
      })
    })
  }

  async killOne(): Promise<void> {
    const id = [...this.running.keys()][this.kills % this.running.size] ?? ""
    const found = this.running.get(id)
    if (!found) return
    this.running.delete(id)
    found.child.kill("SIGKILL")
    await found.exit
    this.kills++
    await this.start()
  }

  async stop(): Promise<(number | null)[]> {
    for (const { child } of this.running.values()) child.kill("SIGTERM")
    return Promise.all([...this.running.values()].map(({ exit }) => exit))
  }
}

/** Resolves at each change of the queue until the number of completed tasks has reached the mark. */
async function completed(queue: Queue, mark: number): Promise<void> {
  for (;;) {
    const waiting = queue.store.wait({ workerId: "test" }, AbortSignal.timeout(1_000))
    const counts = await queue.counts()
    if (counts.completed >= mark) return
    assert.equal(counts.failed + counts.cancelled + counts.expired, 0, "no task may fail")
    await waiting
  }
}

describe("eight worker processes on one SQLite file", () => {
  it(`complete ${tasks} tasks under SIGKILL: none lost, none settled twice`, { timeout: 240_000 }, async () => {
    const url = `sqlite:${join(folder, "q.db")}`
    const queue = await connect(url)
    const inputs = Array.from({ length: tasks }, (_, i) => ({ a: i, b: 1 }))
    const submitted = await queue.submitMany("add", inputs, { inPieces: true, maxRetries: 20 })
    const fleet = new Fleet(url)
    await Promise.all(Array.from({ length: processes }, () => fleet.start()))
    for (let mark = killEvery; mark < tasks; mark += killEvery) {
      await completed(queue, mark)
      await fleet.killOne()
    }
    await completed(queue, tasks)
    assert.deepEqual(await fleet.stop(), Array(processes).fill(0), "a drained worker exits with 0")

    assert.deepEqual({ ...(await queue.counts()), completed: 0 }, noTasks, "every task is completed")
    let crashes = 0
    for (const [i, { id }] of submitted.entries()) {
      const [task, history] = [await queue.get(id), await queue.history(id)]
      assert.deepEqual(task?.output, { sum: i + 1 })
      assert.equal(history.filter(({ event }) => event === "completed").length, 1, `task ${id} was completed once`)
      assert.equal(history.at(-1)?.event, "completed", `nothing happened to task ${id} after its completion`)
      crashes += history.filter(({ event }) => event === "lost").length
    }
    const accepted = fleet.settled.filter(({ status }) => status === "completed").map(({ task }) => task)
    assert.equal(new Set(accepted).size, accepted.length, "no task was accepted twice")
    assert.ok(fleet.kills >= 10, `${fleet.kills} kills`)
    assert.ok(crashes > 0, "the kills found tasks under way")
    await queue.close()
  })
})

const noTasks = { pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0, expired: 0, archived: 0 }
