// A process that opens a SQLite file, makes one call and kills itself: before its commit, after its commit and before the answer, or
// after the answer.

import type { Operation } from "../../src/store/index.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { openWatched } from "./sqlite-watched.ts"

const [path = "", startMs = "", operation = "", request = "", moment = ""] = process.argv.slice(2)

function dieIf(here: string): void {
  if (here === moment) process.kill(process.pid, "SIGKILL")
}

const store = await openWatched(path, new VirtualWorld({ startMs: Number(startMs) }), (sql, carryOut) => {
  if (sql === "COMMIT") dieIf("uncommitted")
  const result = carryOut()
  if (sql === "COMMIT") dieIf("unanswered")
  return result
})
await (store[operation as Operation] as (request: unknown) => Promise<unknown>)(JSON.parse(request))
dieIf("answered")
