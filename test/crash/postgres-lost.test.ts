// Crash points of Postgres on the way: the line breaks at each call of the script, at one of three moments of its transaction.

import { after, describe, it } from "node:test"
import { open } from "../../src/stores/postgres/index.ts"
import { postgresPlace } from "../engines/postgres-place.ts"
import { type Breach, breakingLine } from "./breaking-line.ts"
import { isAsIfNothingHappened, type Played, played } from "./lost-lines.ts"

const has = (word: string) => (chunk: Buffer) => chunk.includes(word)
const moments: Readonly<Record<string, Breach>> = {
  "once its transaction has begun": { at: has("BEGIN"), after: has("BEGIN") },
  "before the server is told to commit": { at: has("COMMIT"), after: null },
  "once the server has committed": { at: has("COMMIT"), after: has("COMMIT") },
}

const openAt: Played["openAt"] = (url, own) => {
  return ({ namespace = "default", world }) => open({ url, namespace: `${own}-${namespace}`, world })
}

describe("crash points of Postgres on the way", () => {
  const place = postgresPlace()
  const quiet = place.then(({ url }) => played({ openAt, url, own: "quiet" }))
  after(async () => (await place).clear())

  for (const [i, [moment, breach]] of Object.entries(moments).entries()) {
    it(`postgres: the line breaks at every call, ${moment}`, async (test) => {
      const { url } = await place
      const line = await breakingLine(url)
      test.after(() => line.close())
      const expected = await quiet
      isAsIfNothingHappened(await played({ openAt, url, own: `lossy-${i}`, breaking: { line, breach } }), expected, line)
    })
  }
})
