// Whoever waits for work in this process, and what they wait for. Waking may be for nothing, but is never left out.

import type { Change } from "../task/index.ts"

/** A task that became pending may be claimable now or change when to look next; one that was asked to stop must hear of it. */
export function isNews({ task, entries }: Change): boolean {
  return task.status === "pending" || entries.some(({ event }) => event === "cancel_requested")
}

export class Waiters {
  private readonly waiting = new Set<() => void>()

  wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        this.waiting.delete(done)
        signal.removeEventListener("abort", done)
        resolve()
      }
      this.waiting.add(done)
      signal.addEventListener("abort", done, { once: true })
    })
  }

  wake(): void {
    for (const done of [...this.waiting]) done()
  }
}
