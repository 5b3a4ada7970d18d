// The algebra in TypeScript keeps the shared vectors.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { play } from "../redis/player.ts"
import { expectedOf, toldBy, traceOf, vectors } from "./vectors.ts"

describe("vectors", () => {
  for (const vector of vectors) it(vector.name, () => assert.deepEqual(toldBy(play(traceOf(vector))), expectedOf(vector)))
})
