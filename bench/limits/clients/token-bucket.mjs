// A token bucket that holds as much as the limit and fills at its rate.
import { fire } from "./fire.mjs"

export async function tokenBucket({ clock, send, source, limit, perMs }) {
  const perToken = perMs / limit
  let tokens = limit
  let countedAtMs = clock.nowMs()
  for (;;) {
    const task = await source.next()
    tokens = Math.min(limit, tokens + (clock.nowMs() - countedAtMs) / perToken)
    countedAtMs = clock.nowMs()
    if (tokens < 1) {
      await clock.sleep((1 - tokens) * perToken)
      tokens = 1
      countedAtMs = clock.nowMs()
    }
    tokens--
    fire({ send, source }, task)
  }
}
