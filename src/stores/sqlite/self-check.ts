// A file can be damaged so that no single value shows it: an index that names what its table does not have. Then a claim may send its
// worker away to ask again at once, and again, for ever. Whoever was sent in circles for long enough has the file looked at as a whole.

import type { ExchangeAnswer, ExchangeRequest } from "../../store/exchange-contract.ts"
import { damaged } from "./damage.ts"
import type { Database } from "./driver.ts"

/** Sound stores come to an end long before this. */
const mostInVain = 1_000

export class SelfCheck {
  private readonly database: Database
  private readonly inVain = new Map<string, number>()

  constructor(database: Database) {
    this.database = database
  }

  /** Whether this worker has been told once too often that there is something to claim now, without getting anything. */
  isDue({ workerId, claim }: ExchangeRequest, { claimed, nextAtMs, more, nowMs }: ExchangeAnswer): boolean {
    if (!claim) return false
    const isInVain = claimed.length === 0 && (more || (nextAtMs !== null && nextAtMs <= nowMs))
    const times = isInVain ? (this.inVain.get(workerId) ?? 0) + 1 : 0
    if (times > 0 && times < mostInVain) this.inVain.set(workerId, times)
    else this.inVain.delete(workerId)
    return times >= mostInVain
  }

  /** Reads all of it, so it is not for every day. */
  run(): void {
    const [[found] = []] = this.database.prepare(`SELECT ${this.database.text("integrity_check")} FROM pragma_integrity_check(1)`).rows()
    if (found !== "ok") throw damaged("the file", "tables and indexes that agree", found)
  }
}
