// Data that vanishes under `sluice work`: the worker says so and ends, be it idle, at work or waiting for a gate. An idle one that stayed
// would look as if there was nothing to do.

import assert from "node:assert/strict"
import { join } from "node:path"
import { it, type TestContext } from "node:test"
import { root, type SluiceProcess, Workplace } from "../integration/cli/sluice-process.ts"
import { adminOf, ownServer, patience } from "./kit.ts"

const module = join(root, "test/integration/cli/modules/tasks.ts")
/** Of data_lost. */
const exitCode = 18

async function begun(test: TestContext) {
  const server = await ownServer(test)
  const place = new Workplace()
  test.after(() => place.remove())
  const store = ["--store", server.url]
  return {
    place,
    admin: await adminOf(test, server.url),
    store,
    work: () => place.start("work", module, "--sweep", "300ms", "--lease", "3s", "--verbose", ...store),
  }
}

async function assertTold(worker: SluiceProcess): Promise<void> {
  const ended = await worker.ended
  assert.equal(ended.exitCode, exitCode, ended.stderr)
  assert.match(ended.stderr, /expected the data of namespace "default", last seen at 20.*, but it is gone/)
}

it("a worker that is idle says so and ends", patience, async (test) => {
  const { place, admin, work, store } = await begun(test)
  const worker = work()
  assert.equal((await place.sluice("submit", "-t", "double", "-i", '{"n":1}', ...store)).exitCode, 0)
  await worker.said(/completed double/)
  // Takes as long as a process takes to start: whatever followed the task is over.
  assert.match((await place.sluice("counts", "--json", ...store)).stdout, /"completed": ?1/)
  await admin.text("FLUSHALL")
  await assertTold(worker)
})

it("a worker that is at work says so and ends", patience, async (test) => {
  const { place, admin, work, store } = await begun(test)
  assert.equal((await place.sluice("submit", "-t", "until_asked", ...store)).exitCode, 0)
  const worker = work()
  await worker.said(/waiting to be asked/)
  await admin.text("FLUSHALL")
  await assertTold(worker)
})

it("a worker says so although others have begun anew", patience, async (test) => {
  const { place, admin, work, store } = await begun(test)
  const worker = work()
  await worker.said(/started/)
  await admin.until(async () => (await admin.text("KEYS", "*workers")) !== "")
  await admin.text("FLUSHALL")
  assert.equal((await place.sluice("submit", "-t", "until_asked", ...store)).exitCode, 0)
  await assertTold(worker)
  assert.match((await place.sluice("counts", "--json", ...store)).stdout, /"pending": ?1/)
})
