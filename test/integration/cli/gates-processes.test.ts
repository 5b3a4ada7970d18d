// Gates in the real program: a worker in one process, command lines in others, one database.

import assert from "node:assert/strict"
import { afterEach, beforeEach, describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { Workplace } from "./sluice-process.ts"

const module = fileURLToPath(new URL("./modules/limited.js", import.meta.url))
const input = '{"host": "a"}'

describe("gates in the program sluice", () => {
  let place: Workplace
  beforeEach(() => {
    place = new Workplace()
  })
  afterEach(() => place.remove())

  async function said(...argv: readonly string[]): Promise<string> {
    const { stdout, exitCode, stderr } = await place.sluice(...argv)
    assert.deepEqual([exitCode, stderr], [0, ""], argv.join(" "))
    return stdout
  }

  it("hold what was submitted without the code, say why, and open when they are changed", async () => {
    const worker = place.start("work", module, "--verbose")
    await worker.said(/started worker/)
    // Without a gate a worker has to say which; with one it is known at once.
    await said("submit", "-t", "call_api", "-i", input)
    await said("submit", "-t", "call_api", "-i", input, "--gate", "vendor-api/a")
    await worker.said(/(completed call_api[\s\S]*){2}/)
    const held = (await said("submit", "-t", "call_api", "-i", input, "--gate", "vendor-api/a")).trimEnd()

    assert.match(
      await said("explain", held),
      /^Gate vendor-api\/a holds it: 2 of 2 in 1h; nothing passes before it; it opens for this task at/m,
    )
    assert.match(await said("status", held), /^estimated_start_at: .* \(in about 59m \d+s, held by vendor-api\/a\)$/m)
    assert.match(await said("list", "--status", "pending"), / in about 59m \d+s$/m)
    assert.match(await said("limits", "ls"), /^vendor-api {2}2\/1h +1 +1$/m)
    assert.match(await said("limits", "show", "vendor-api/a"), /^rate: 2 of 2 used in 1h\nwaiting: 1 task\nopens: in 59m \d+s$/m)
    assert.match(await said("forecast"), /^vendor-api\/a +1 +in 59m \d+s +2\/2 in 1h\n\nTYPE +STARTED .*\ncall_api +2 /m)

    assert.match(
      await said("limits", "set", "vendor-api/a", "--rate", "3/1h", "--until", "1h"),
      /^vendor-api\/a: open; 3\/1h \(sliding\); set by hand until/,
    )
    await worker.said(/(completed call_api[\s\S]*){3}/)

    assert.match(await said("limits", "pause", "vendor-api"), /^vendor-api: paused; /)
    const paused = (await said("submit", "-t", "call_api", "-i", '{"host": "b"}', "--gate", "vendor-api/b")).trimEnd()
    assert.match(await said("explain", paused), /it is paused until somebody resumes it/)
    assert.match(await said("limits", "resume", "vendor-api"), /^vendor-api: open; /)
    await worker.said(/(completed call_api[\s\S]*){4}/)

    assert.match(
      await said("limits", "history", "vendor-api"),
      /vendor-api: resumed, by cli.*\n.*vendor-api: paused, by cli.*\n.*vendor-api\/a: set to 3\/1h .*\n.*vendor-api: the code says 2\/1h \(sliding\), by /,
    )
    assert.match(await said("doctor"), /^ok +live processes agree on every limit$/m)
    worker.child.kill("SIGTERM")
    assert.equal((await worker.ended).exitCode, 0)
  })

  it("cool down when the other side refuses, and the worker says so", async () => {
    const worker = place.start("work", module)
    await worker.said(/started worker/)
    const id = (await said("submit", "-t", "refused")).trimEnd()
    await worker.said(
      new RegExp(`warn refused ${id} was too fast for the other side \\(status 429, again after 1h\\): its gates cool down`),
    )
    assert.match(await said("limits", "show", "vendor-api/refusing"), /^cooldown: until .*, after 1 refusal in a row$/m)
    assert.match(await said("explain", id), /it cools down until .*, because the other side said "too fast"/)
    // It would try again at once, and be refused again.
    worker.child.kill("SIGTERM")
    await worker.ended
    assert.match(await said("limits", "reset", "vendor-api/refusing"), /^vendor-api\/refusing: open; .*; as the code says$/m)
    assert.doesNotMatch(await said("limits", "show", "vendor-api/refusing"), /cooldown/)
  })
})
