// A step that the engine does, whether or not there is a short way for it.

import { runBy } from "../../../src/stores/redis/script/step.ts"

export function run(this: void, keys: readonly string[], values: readonly string[]): readonly string[] {
  return runBy(keys, values, "engine")
}
