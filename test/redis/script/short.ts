// A step that goes the short way, or is declined.

import { runBy } from "../../../src/stores/redis/script/step.ts"

export function run(this: void, keys: readonly string[], values: readonly string[]): readonly string[] {
  return runBy(keys, values, "short")
}
