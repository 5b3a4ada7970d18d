// Traces played inside Redis: a whole trace per argument, what came of its steps as JSON.

import { cjson, encode } from "../../../src/stores/redis/script/server.ts"
import { play, type Trace } from "../player.ts"

export function run(this: void, _keys: readonly string[], traces: readonly string[]): readonly string[] {
  return traces.map((trace) => encode(play(cjson.decode(trace) as Trace), () => undefined))
}
