// The README's command lines run as they stand: on one store, in its order, with a worker that has the tasks of its smallest program. Only
// ids and the address of the API are filled in.

import { deepEqual, equal, match, ok } from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join, resolve } from "node:path"
import { after, describe, it } from "node:test"
import { systemWorld } from "../../../src/world/index.ts"
import { CommandLine } from "../cli/command-line.ts"

// Below the package's own folder, so that "sluice" means this package.
mkdirSync(resolve(".build"), { recursive: true })
const cwd = mkdtempSync(resolve(".build", "readme-"))
after(() => rmSync(cwd, { recursive: true, force: true }))

const readme = readFileSync("README.md", "utf8")
const [, block = ""] = /## On the command line\n\n```\n([\s\S]*?)```/.exec(readme) ?? []
const words = (line: string) => [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "").slice(1)
const lines = block
  .trimEnd()
  .split("\n")
  .map((line) => line.replace(/ +# .*$/, ""))

/** The tasks of the smallest program, without what submits and works. */
const [definitions = ""] = (/```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "").split("const queue")

describe("the README's command lines", () => {
  it("run as they stand", { timeout: 60_000 }, async () => {
    const server = createServer((_request, response) => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    after(() => server.close().closeAllConnections())
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const line = new CommandLine({ world: systemWorld, cwd })
    const queue = await line.queue()
    const job = await queue.submitJob("example", [{ task: "call_api", input: { url: address } }])
    const values: Record<string, string> = { "<job>": job.id, "https://api.example.com/orders": address }
    const filled = (text: string) => Object.entries(values).reduce((all, [name, value]) => all.replaceAll(name, value), text)

    const started = new Promise<void>((resolve) => {
      line.onOutput = (text) => text.includes("started worker") && resolve()
    })
    const isWork = (text: string) => text.startsWith("sluice work")
    let working: ReturnType<CommandLine["sluice"]> | null = null
    for (const text of lines) {
      if (text.startsWith("sluice init")) equal((await line.sluice("init")).exitCode, 0)
      // What init wrote is what the tutorial's test runs; from here on those of the smallest program.
      if (isWork(text)) {
        ok(existsSync(join(cwd, "tasks.ts")))
        writeFileSync(join(cwd, "tasks.ts"), `${definitions}\nexport { callApi }\n`)
        working = line.sluice(...words(text))
        // Also where something fails on the way.
        after(() => line.signal("SIGTERM"))
        await started
        continue
      }
      if (text.startsWith("sluice init")) continue
      const { exitCode, stderr, lines: said } = await line.sluice(...words(filled(text)))
      equal(exitCode, 0, `${text}: ${stderr}`)
      if (text.startsWith("sluice submit")) values["<id>"] = said[0] ?? ""
    }
    ok(working)
    line.signal("SIGTERM")
    equal((await working).exitCode, 0)
    const { completed, failed } = await queue.counts()
    deepEqual([completed, failed], [2, 0])
    match((await line.sluice("limits", "show", "vendor-api")).stdout, /5\/10s/)
    await queue.close()
  })

  it("include the simulation", { timeout: 60_000 }, async () => {
    const [, command = ""] = /`(sluice simulate [^`]+)`/.exec(readme) ?? []
    const { exitCode, stdout } = await new CommandLine().sluice(...words(command.replace(/\s+/g, " ")))
    equal(exitCode, 0)
    match(stdout, /api/)
  })

  it("include those of npm", { timeout: 120_000 }, () => {
    const [, story = ""] = /`npm run story -- (\w+)`/.exec(readme) ?? []
    const told = spawnSync(process.execPath, ["scripts/story.mjs", story, `sqlite:${join(cwd, "story.db")}`], { encoding: "utf8" })
    equal(told.status, 0, told.stdout + told.stderr)
    ok(readme.includes("`npm run --silent sluice -- counts`"))
    const counted = spawnSync("npm", ["run", "--silent", "sluice", "--", "counts", "--store", `sqlite:${join(cwd, "story.db")}`], {
      encoding: "utf8",
    })
    match(counted.stdout, /completed/)
  })
})
