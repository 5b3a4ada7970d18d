// Crash points of Redis on the way: the line breaks at each call of the script, before the server has the step, or after it was carried out
// and before its answer is back.

import { describe, it } from "node:test"
import { open } from "../../src/stores/redis/index.ts"
import { startRedis } from "../engines/redis.ts"
import { type Breach, breakingLine } from "./breaking-line.ts"
import { isAsIfNothingHappened, type Played, played } from "./lost-lines.ts"

const isStep = (chunk: Buffer) => chunk.includes("FCALL") || chunk.includes("EVALSHA")
const ways: Readonly<Record<string, Breach>> = {
  "before the server has it": { at: isStep, after: null },
  "before its answer is back": { at: isStep, after: () => true },
}

const openAt: Played["openAt"] = (url, own) => {
  const place = new URL(url)
  place.searchParams.set("prefix", own)
  return ({ namespace = "default", world }) => open({ url: place.href, namespace, world })
}

describe("crash points of Redis on the way", () => {
  for (const [way, breach] of Object.entries(ways)) {
    it(`redis: the line breaks at every call, ${way}`, async (test) => {
      const server = await startRedis()
      test.after(() => server.remove())
      const line = await breakingLine(server.url)
      test.after(() => line.close())
      const expected = await played({ openAt, url: server.url, own: "quiet" })
      isAsIfNothingHappened(await played({ openAt, url: server.url, own: "lossy", breaking: { line, breach } }), expected, line)
    })
  }
})
