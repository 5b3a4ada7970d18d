// A plain sliding log: no more than the limit sent in any window, by the times of sending.
import { fire } from "./fire.mjs"

export async function slidingLog({ clock, send, source, limit, perMs }) {
  const sentAtMs = []
  for (;;) {
    const task = await source.next()
    if (sentAtMs.length === limit) await clock.sleep(sentAtMs.shift() + perMs - clock.nowMs())
    sentAtMs.push(clock.nowMs())
    fire({ send, source }, task)
  }
}
