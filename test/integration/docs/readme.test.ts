// What the README shows works: its smallest program as it stands, with only the addresses replaced, and `npm start`.

import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { after, describe, it } from "node:test"
import { connect } from "../../../src/index.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-readme-"))
after(() => rmSync(folder, { recursive: true, force: true }))

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data))
  const exit = new Promise<number | null>((done) => child.on("exit", (code) => done(code)))
  return { child, exit, output: () => output }
}

describe("the README", () => {
  it("shows a smallest program that runs", { timeout: 60_000 }, async () => {
    const answers = [429, 200]
    const server = createServer((_request, response) => {
      const status = answers.shift() ?? 200
      response.writeHead(status, { "retry-after": "1", "content-type": "application/json" }).end(JSON.stringify({ status }))
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const { port } = server.address() as AddressInfo
    const url = `sqlite:${join(folder, "smallest.db")}`
    const shown = /```ts\n([\s\S]*?)```/.exec(readFileSync("README.md", "utf8"))?.[1] ?? ""
    const program = shown.replace("https://api.example.com/orders", `http://127.0.0.1:${port}/`).replace("sqlite:./sluice.db", url)
    assert.notEqual(program, shown)
    // Below the package's own folder, so that "sluice" means this package.
    const file = resolve(".build", "smallest.ts")
    writeFileSync(file, program)
    const { child, exit, output } = run([resolve("node_modules/jiti/lib/jiti-cli.mjs"), file])
    try {
      const queue = await connect(url)
      for (;;) {
        const waiting = queue.store.wait({ workerId: "test" }, AbortSignal.timeout(500))
        const { completed, failed } = await queue.counts()
        assert.equal(failed, 0)
        assert.equal(child.exitCode, null, output())
        if (completed === 1) break
        await waiting
      }
      const [task] = (await queue.list()).tasks
      assert.deepEqual([task?.output, task?.throttleCount, task?.retryCount], [{ status: 200 }, 1, 0])
      await queue.close()
    } finally {
      child.kill("SIGKILL")
      await exit
      server.close()
    }
  })

  it("names a start command that shows tasks run and, with --exit, ends with 0", { timeout: 60_000 }, async () => {
    const { exit, output } = run(["examples/first/start.mjs", "--exit"], { SLUICE_STORE: `sqlite:${join(folder, "start.db")}` })
    assert.equal(await exit, 0, output())
    assert.match(output(), /Version 7: completed/)
    assert.match(output(), /0 pending, 0 running, 10 completed, 0 failed, 0 cancelled, 1 expired/)
    assert.match(output(), /add_role +pending, starts in 4\.0 s\n[\s\S]*Gate discord-roles\/guild-7 holds it/)
  })
})
