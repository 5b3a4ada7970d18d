// The real program on a real database: processes, signals, pipes.

import assert from "node:assert/strict"
import { closeSync, openSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import type { TaskDocument } from "../../../src/index.ts"
import { root, Workplace } from "./sluice-process.ts"

const modules = {
  TypeScript: join(root, "test/integration/cli/modules/tasks.ts"),
  JavaScript: fileURLToPath(new URL("./modules/tasks.js", import.meta.url)),
}

describe("the program sluice", () => {
  let place: Workplace
  beforeEach(() => {
    place = new Workplace()
  })
  afterEach(() => place.remove())

  async function submit(...argv: readonly string[]): Promise<string> {
    const { stdout, exitCode, stderr } = await place.sluice("submit", ...argv)
    assert.deepEqual([exitCode, stderr], [0, ""])
    return stdout.trimEnd()
  }

  async function get(id: string): Promise<TaskDocument> {
    return JSON.parse((await place.sluice("get", id, "--json")).stdout) as TaskDocument
  }

  /** Longer than a pipe takes at once. */
  function longInput(): string {
    writeFileSync(join(place.folder, "long.json"), JSON.stringify("x".repeat(200_000)))
    return "@long.json"
  }

  for (const [language, module] of Object.entries(modules)) {
    it(`works on a module of ${language}, and SIGTERM lets the running task finish`, async () => {
      const id = await submit("-t", "until_asked")
      const worker = place.start("work", module, "--verbose")
      await worker.said(/waiting to be asked/)
      assert.equal((await get(id)).status, "running")
      worker.child.kill("SIGTERM")
      const { exitCode, stdout, stderr } = await worker.ended
      assert.deepEqual([exitCode, stderr], [0, ""])
      assert.match(stdout, /draining 1 task is running\n.*completed until_asked .*\n.*stopped worker/)
      const { status, output } = await get(id)
      assert.deepEqual([status, output], ["completed", "asked"])
    })
  }

  it("starts anew when the module changes, also after a mistake in it, and a signal ends it", { timeout: 60_000 }, async () => {
    const module = join(place.folder, "watched.mjs")
    const task = (answer: string) =>
      `export const greet = { type: "greet", input: null, defaults: {}, limits: [], cost: 1, fairBy: null, isolate: null, module: null, run: () => ${answer} }`
    writeFileSync(module, task('"one"'))
    const worker = place.start("work", module, "--watch", "--verbose")
    await worker.said(/started worker/)
    const first = await submit("-t", "greet")
    await worker.said(new RegExp(`completed greet ${first}`))
    writeFileSync(module, "export const nothing = ")
    await worker.said(/watch: watched\.mjs has changed\n[\s\S]*waiting for a change/)
    writeFileSync(module, task('"two"'))
    const second = await submit("-t", "greet")
    await worker.said(new RegExp(`completed greet ${second}`))
    worker.child.kill("SIGTERM")
    assert.equal((await worker.ended).exitCode, 0)
    assert.deepEqual([(await get(first)).output, (await get(second)).output], ["one", "two"])
  })

  it("a second signal gives the running task back, at no cost", async () => {
    const id = await submit("-t", "stubborn")
    const worker = place.start("work", modules.JavaScript)
    await worker.said(/never ends/)
    worker.child.kill("SIGINT")
    await worker.said(/draining/)
    worker.child.kill("SIGINT")
    assert.equal((await worker.ended).exitCode, 0)
    const { status, attempt, retry_count } = await get(id)
    assert.deepEqual([status, attempt, retry_count], ["pending", 0, 0])
  })

  it("a worker takes up what another process submits while it is idle", async () => {
    const worker = place.start("work", modules.JavaScript, "--verbose")
    await worker.said(/started worker/)
    await submit("-t", "double", "-i", '{"n": 4}')
    await worker.said(/completed double/)
    worker.child.kill("SIGTERM")
    assert.equal((await worker.ended).exitCode, 0)
  })

  it("an error that a handler leaves behind ends the worker with 1, and no task is lost", async () => {
    const id = await submit("-t", "careless")
    const { exitCode, stderr } = await place.sluice("work", modules.JavaScript)
    assert.deepEqual([exitCode, stderr], [1, "sluice: unexpected: left behind (SLUICE_DEBUG=1 shows where)\n"])
    assert.equal((await get(id)).status, "completed")
  })

  it("a module that cannot be loaded is told in one line", async () => {
    writeFileSync(join(place.folder, "broken.mjs"), "export const x = ;\n")
    const { exitCode, stdout, stderr } = await place.sluice("work", "./broken.mjs")
    assert.deepEqual([exitCode, stdout], [7, ""])
    assert.match(stderr, /^sluice: .*broken.mjs: expected a module that loads, but .*\n$/)
  })

  it("says where, also where it is in a module that this one imports", async () => {
    writeFileSync(join(place.folder, "outer.mjs"), 'import "./inner.cjs"\n')
    writeFileSync(join(place.folder, "inner.cjs"), "const a = 1\nconst b = ;\n")
    const syntax = await place.sluice("work", "./outer.mjs")
    assert.match(syntax.stderr, /^sluice: .*outer.mjs: expected a module that loads, but .* \(\/.*\/inner\.cjs:2\)\n$/)
    writeFileSync(join(place.folder, "inner.cjs"), "\nnull.x\n")
    const thrown = await place.sluice("work", "./outer.mjs")
    assert.match(thrown.stderr, /but Cannot read properties of null \(reading 'x'\) \(\/.*\/inner\.cjs:2:6\)\n$/)
  })

  for (const [thrown, told] of Object.entries({ null: "null", undefined: "undefined", '"no key"': '"no key"' })) {
    it(`a module that throws ${thrown} is told in one line`, async () => {
      writeFileSync(join(place.folder, "throws.mjs"), `throw ${thrown}\n`)
      const { exitCode, stdout, stderr } = await place.sluice("work", "./throws.mjs")
      assert.deepEqual([exitCode, stdout], [7, ""])
      assert.ok(stderr.endsWith(`throws.mjs: expected a module that loads, but it threw ${told}\n`), stderr)
      const configured = await place.sluice("counts", "--config", "./throws.mjs")
      assert.match(configured.stderr, /^sluice: .*throws.mjs: expected a configuration that loads, but it threw [^\n]*\n$/)
    })
  }

  it("two tasks of one type in a module are a mistake, one task under two names is none", async () => {
    const task = (answer: number) =>
      `{ type: "greet", input: null, defaults: {}, limits: [], cost: 1, fairBy: null, isolate: null, module: null, run: () => ${answer} }`
    writeFileSync(join(place.folder, "twice.mjs"), `export const a = ${task(1)}\nexport const b = ${task(2)}\n`)
    const twice = await place.sluice("work", "./twice.mjs", "--until-empty")
    assert.equal(twice.exitCode, 7)
    assert.match(twice.stderr, /^sluice: .*twice.mjs: expected one task of each type, found two of type greet; rename one\n$/)
    writeFileSync(join(place.folder, "once.mjs"), `export const a = ${task(1)}\nexport default [a]\n`)
    assert.equal((await place.sluice("work", "./once.mjs", "--until-empty")).exitCode, 0)
  })

  it("a module of TypeScript loads in a folder as npm init makes it, also where the runtime strips types by itself", async () => {
    writeFileSync(join(place.folder, "package.json"), '{"name": "app", "version": "1.0.0", "type": "commonjs"}')
    writeFileSync(join(place.folder, "kinds.ts"), "export enum Kind {\n  One = 1,\n}\n")
    writeFileSync(
      join(place.folder, "greet.ts"),
      'import { Kind } from "./kinds"\nconst limits: unknown[] = []\nexport const greet = { type: "greet", input: null, defaults: {}, limits, cost: Kind.One, fairBy: null, isolate: null, module: null, run: () => 1 }\n',
    )
    // What newer runtimes say of themselves.
    const strips = "data:text/javascript,Object.defineProperty(process.features,'typescript',{value:'strip'})"
    const { exitCode, stderr } = await place.startWith({ NODE_OPTIONS: `--import=${strips}` }, ["work", "./greet.ts", "--until-empty"])
      .ended
    assert.deepEqual([exitCode, stderr], [0, ""])
  })

  it("a mistake ends with the code of the table and one line", async () => {
    const { exitCode, stdout, stderr } = await place.sluice("get", "abc123")
    assert.deepEqual([exitCode, stdout], [6, ""])
    assert.match(stderr, /^sluice: task "abc123".*looked in namespace "default" of sqlite:.\/sluice.db\n$/)
  })

  it("a reader that goes away is no error", async () => {
    await submit("-t", "x", "-i", longInput())
    const reading = place.start("list", "--json")
    reading.child.stdout?.destroy()
    const { exitCode, stderr } = await reading.ended
    assert.deepEqual([exitCode, stderr], [0, ""])
  })

  it("an output that is full is told in one line, and ends with 1", async () => {
    const full = openSync("/dev/full", "w")
    const { exitCode, stderr } = await place.startWith({}, ["now"], full).ended
    closeSync(full)
    assert.deepEqual([exitCode, stderr], [1, "sluice: expected to write what it says, but ENOSPC: no space left on device, write\n"])
  })

  it("prints all of a long document into a pipe", async () => {
    const id = await submit("-t", "x", "-i", longInput())
    assert.equal(String((await get(id)).input).length, 200_000)
  })

  it("doctor shows the database", async () => {
    const { stdout, exitCode } = await place.sluice("doctor")
    assert.equal(exitCode, 0)
    assert.match(stdout, /^store +sqlite$/m)
    assert.match(stdout, /^url +sqlite:.\/sluice.db$/m)
    assert.match(stdout, /^durability +full/m)
    assert.doesNotMatch(stdout, /^warn/m)
  })
})
