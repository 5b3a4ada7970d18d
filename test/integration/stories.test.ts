// Every story of examples/ ends with 0 and a table in which everything is as expected: on SQLite, some on the servers too. And a story whose
// limit is wrong ends with 1.

import { equal, match, ok } from "node:assert/strict"
import { spawn } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { after, describe, it } from "node:test"
import { postgresPlace } from "../engines/postgres-place.ts"
import { redisPlace } from "../engines/redis-place.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-stories-"))
after(() => rmSync(folder, { recursive: true, force: true }))

const stories = readdirSync("examples").filter((name) => name !== "start" && existsSync(`examples/${name}/main.ts`))
const jiti = resolve("node_modules/jiti/lib/jiti-cli.mjs")

function run(file: string, store: string) {
  const child = spawn(process.execPath, [jiti, file, store], { stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data))
  return new Promise<{ exitCode: number | null; output: string }>((done) => child.on("close", (exitCode) => done({ exitCode, output })))
}

async function runsOn(story: string, store: string): Promise<void> {
  const { exitCode, output } = await run(`examples/${story}/main.ts`, store)
  equal(exitCode, 0, output)
  match(output, /expected +seen\n( .* ok\n)+$/, output)
}

// They wait most of the time.
const together = { concurrency: 4, timeout: 180_000 }

describe("the stories on SQLite", together, () => {
  for (const story of stories) it(story, () => runsOn(story, `sqlite:${join(folder, `${story}.db`)}`))
})

describe("the stories on servers", together, () => {
  for (const [server, makePlace] of Object.entries({ redis: redisPlace, postgres: postgresPlace })) {
    for (const story of ["ocr", "crawler"]) {
      it(`${story} on ${server}`, async () => {
        const { url, clear } = await makePlace()
        await runsOn(story, url).finally(clear)
      })
    }
  }
})

describe("a story", () => {
  it("ends with 1 where a limit is exceeded", { timeout: 60_000 }, async () => {
    // Below the package's own folder, so that "sluice" means this package.
    const copy = resolve(".build", "exceeding")
    cpSync("examples", copy, { recursive: true })
    const file = join(copy, "discord-roles", "tasks.ts")
    const tasks = readFileSync(file, "utf8")
    ok(tasks.includes('rate: "5/1s"'))
    writeFileSync(file, tasks.replace('rate: "5/1s"', 'rate: "50/1s"'))
    const { exitCode, output } = await run(join(copy, "discord-roles", "main.ts"), `sqlite:${join(folder, "exceeding.db")}`)
    equal(exitCode, 1, output)
    match(output, /^ {2}429s +0 +\d+ +NOT SO$/m, output)
  })

  it("is told in the list of stories, and in a page of its own", () => {
    const list = readFileSync("examples/README.md", "utf8")
    for (const story of stories) {
      match(list, new RegExp(`^\\| \\[${story}\\]\\(${story}\\) \\|`, "m"))
      match(readFileSync(`examples/${story}/README.md`, "utf8"), new RegExp(`npm run story -- ${story}\\n`))
    }
  })
})
