// The window of BullMQ's limiter (INCR, and PEXPIRE on the first): it begins with the first request after the last one ended.
import { fire } from "./fire.mjs"

export async function anchoredWindow({ clock, send, source, limit, perMs }) {
  let endsAtMs = Number.NEGATIVE_INFINITY
  let used = 0
  for (;;) {
    const task = await source.next()
    if (used >= limit && clock.nowMs() < endsAtMs) await clock.sleep(endsAtMs - clock.nowMs())
    if (clock.nowMs() >= endsAtMs) {
      endsAtMs = clock.nowMs() + perMs
      used = 0
    }
    used++
    fire({ send, source }, task)
  }
}
