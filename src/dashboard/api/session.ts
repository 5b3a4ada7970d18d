// Who looks, and at what: told by the server once there is a token that it takes.

import { computed, effect, signal } from "@preact/signals"
import { after, wallMs } from "../browser.ts"
import { get } from "./client.ts"
import { learnClock } from "./clock.ts"
import type { SessionDocument } from "./documents.ts"
import { isTokenWanted, token } from "./token.ts"

const againMs = 60_000
const retryMs = 2_000

export const session = signal<SessionDocument | null>(null)

/** What cannot be done is not offered. */
export const mayChange = computed(() => session.value?.role === "admin")

/** Asked anew when the token changes, and now and then for the clock's sake. */
export function followSession(): void {
  effect(() => {
    const used = token.value
    if (isTokenWanted.value) return
    let isOver = false
    let cancel = () => {}
    const look = async () => {
      const sentMs = wallMs()
      const found = await get<SessionDocument>("session").catch(() => null)
      if (isOver || used !== token.peek()) return
      if (found) learnClock(found.now, sentMs, wallMs())
      if (found) session.value = found
      cancel = after(found ? againMs : retryMs, () => void look())
    }
    void look()
    return () => {
      isOver = true
      cancel()
    }
  })
}
