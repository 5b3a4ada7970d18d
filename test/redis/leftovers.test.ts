// What is over leaves nothing behind: once all work is done and its retention is over, there are no more keys than a namespace has that
// knows its limits. So memory stays bounded, and no index keeps what its tasks have not.

import { deepEqual } from "node:assert/strict"
import { it } from "node:test"
import { defaultBackoff } from "../../src/task/index.ts"
import { recover } from "../crash/recovery.ts"
import { plainClient } from "../crash/redis-keys.ts"
import { redisAt } from "../crash/redis-stops.ts"
import { play } from "../crash/script.ts"
import { otherName, Stage, victimName } from "../crash/stage.ts"
import { sharedRedis } from "../engines/redis.ts"
import { freshNamespace, patience } from "./kit.ts"

/**
 * What people and code have said, how often what happened, and schedules, which never end by themselves; what was archived; and flows that
 * were served more than others, until those have caught up.
 */
const lasting = [
  ...["meta", "limits", "types", "changes", "counts", "forecast-errors", "limits-waiting", "due-types"],
  ...["schedules", "schedules-names", "schedules-next", "tasks", "keys", "order:0", "orders", "flows", "flows-idle"],
]

it("what is over leaves nothing behind", patience, async () => {
  const [url, prefix] = [await sharedRedis(), freshNamespace()]
  const client = await plainClient(url)
  const stage = await Stage.open(async () => redisAt(url, prefix))
  try {
    const observer = await stage.connect()
    const victim = await stage.start(victimName)
    const other = await stage.start(otherName)
    await play({ stage, victim, other })
    await recover(stage, other, observer)
    for (let day = 0; day < 3; day++) {
      await stage.world.advance(30 * 86_400_000)
      while ((await observer.sweep({ backoff: defaultBackoff, random: 0, retentionMs: 1 })).more);
    }
    const { archived, ...others } = (await observer.counts({ type: null })).byStatus
    deepEqual([archived, ...Object.values(others)], [1, 0, 0, 0, 0, 0, 0])
    const keys = ((await client.send(["KEYS", `${prefix}:*`])) as Buffer[]).map((key) => String(key).replace(/^.*?\}:/, ""))
    deepEqual(keys.filter((key) => !lasting.includes(key)).sort(), [])
  } finally {
    await stage.close()
    const keys = (await client.send(["KEYS", `${prefix}:*`])) as Buffer[]
    if (keys.length > 0) await client.send(["UNLINK", ...keys])
    client.destroy()
  }
})
