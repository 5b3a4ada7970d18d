// What the guide to limits outside the queue shows works: its web handler as it stands, with only the addresses replaced.

import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { resolve } from "node:path"
import { describe, it } from "node:test"
import { promisify } from "node:util"

const [handler = ""] = [...readFileSync("docs/guides/limits-outside-the-queue.md", "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(
  ([, code]) => code,
)

const asked = `
const stop = new AbortController()
const answers = await Promise.all(Array.from({ length: 8 }, () => handle("acme", stop.signal)))
console.log(JSON.stringify(await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()]))))
await queue.close()
`

describe("the guide to limits outside the queue", () => {
  it("shows a web handler that keeps to the limit", { timeout: 60_000 }, async () => {
    let [inside, most] = [0, 0]
    const server = createServer((_request, response) => {
      most = Math.max(most, ++inside)
      setTimeout(() => {
        inside--
        response.end("page")
      }, 50)
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const { port } = server.address() as AddressInfo
    const program = handler.replace("https://api.example.com", `http://127.0.0.1:${port}`).replace("sqlite:./sluice.db", "memory:")
    assert.ok(!program.includes("example.com") && program.includes("memory:"))
    // Below the package's own folder, so that "sluice" means this package.
    const file = resolve(".build", "calls-guide.ts")
    writeFileSync(file, program + asked)
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [resolve("node_modules/jiti/lib/jiti-cli.mjs"), file])
      assert.deepEqual(JSON.parse(stdout), Array(8).fill([200, "page"]))
      assert.equal(most, 5)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
