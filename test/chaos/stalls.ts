// A process that gets no processor cannot keep its leases, and nobody did that to it on purpose. It notices by itself that time
// has passed it by, and writes it down: on a busy machine that is what explains a lost lease.

import type { WriteFact } from "../../src/testing/index.ts"

const lookEveryMs = 50

export function watchStalls(proc: string, write: WriteFact, tooLongMs: number): void {
  let lastMs = Date.now()
  const look = () => {
    const nowMs = Date.now()
    if (nowMs - lastMs >= tooLongMs) write({ op: "fault", fault: "slow", victim: proc, atMs: lastMs, untilMs: nowMs })
    lastMs = nowMs
  }
  setInterval(look, lookEveryMs).unref()
}
