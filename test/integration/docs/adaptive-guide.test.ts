// What the guide to limits that learn shows works: its crawler as it stands, with only the addresses replaced.

import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { after, describe, it } from "node:test"
import { connect } from "../../../src/index.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-guide-"))
after(() => rmSync(folder, { recursive: true, force: true }))

const shown = [...readFileSync("docs/guides/adaptive-limits.md", "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code)

describe("the guide to limits that learn", () => {
  it("shows a crawler that learns of a 429 and tries again", { timeout: 60_000 }, async () => {
    const answers = [429, 200]
    const server = createServer((_request, response) => response.writeHead(answers.shift() ?? 200).end("page"))
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const { port } = server.address() as AddressInfo
    const url = `sqlite:${join(folder, "crawl.db")}`
    const [crawler = ""] = shown
    const program = crawler.replace("https://example.com/a", `http://127.0.0.1:${port}/a`).replace("sqlite:./sluice.db", url)
    assert.ok(!program.includes("example.com") && program.includes(url))
    // Below the package's own folder, so that "sluice" means this package.
    const file = resolve(".build", "adaptive-guide.ts")
    writeFileSync(file, program)
    const child = spawn(process.execPath, [resolve("node_modules/jiti/lib/jiti-cli.mjs"), file], { stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data))
    const exit = new Promise<void>((done) => child.on("exit", () => done()))
    const queue = await connect(url)
    try {
      for (;;) {
        const waiting = queue.store.wait({ workerId: "test" }, AbortSignal.timeout(500))
        const { completed, failed } = await queue.counts()
        assert.deepEqual([failed, child.exitCode], [0, null], output)
        if (completed === 1) break
        await waiting
      }
      const [task] = (await queue.list()).tasks
      assert.deepEqual([task?.output, task?.throttleCount, task?.retryCount], [200, 1, 0])
      const { learned } = (await queue.limits.gates("crawl")).gates[0] ?? {}
      // The 200 ms of the page, and a step.
      assert.deepEqual([learned?.adaptiveDelayMs, learned?.errorStreak, learned?.successStreak], [1_200, 0, 1])
    } finally {
      await queue.close()
      child.kill("SIGKILL")
      await exit
      server.close()
    }
  })

  it("shows limits of requests and tokens that can be defined", () => {
    const [, budget = ""] = shown
    const file = resolve(".build", "adaptive-budget.ts")
    writeFileSync(
      file,
      `import { defineLimit, defineTask } from "sluice"\n${budget}\nconsole.log(JSON.stringify(ask.limits({ prompt: "x" })))`,
    )
    return new Promise<void>((done, fail) => {
      const child = spawn(process.execPath, [resolve("node_modules/jiti/lib/jiti-cli.mjs"), file])
      let output = ""
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data))
      child.on("exit", () => {
        try {
          const gates = JSON.parse(output) as { key: string; most: number | null }[]
          assert.deepEqual(
            gates.map(({ key, most }) => [key, most]),
            [
              ["", null],
              ["model-1", 4_000],
            ],
          )
          done()
        } catch (error) {
          fail(new Error(`${error}: ${output}`))
        }
      })
    })
  })
})
