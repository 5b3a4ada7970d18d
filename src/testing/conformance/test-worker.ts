// A worker that does nothing by itself: it counts its claims, as workers do, and says what a test has it say.

import type { Store } from "../../store/contract.ts"
import type { ClaimRequest, ExchangeAnswer, ExchangeRequest, SettleAnswer, SettleRequest } from "../../store/exchange-contract.ts"
import type { Outcome, TaskRecord } from "../../task/index.ts"
import { only } from "./assertions.ts"
import { said } from "./outcomes.ts"

export const leaseMs = 30_000

type Held = Pick<TaskRecord, "id" | "fence">

export class TestWorker {
  readonly id: string
  private readonly store: Store
  private claims = 0

  constructor(store: Store, id: string) {
    this.store = store
    this.id = id
  }

  exchange(request: Partial<ExchangeRequest>): Promise<ExchangeAnswer> {
    return this.store.exchange({ workerId: this.id, settles: [], heartbeats: [], leaseMs, claim: null, ...request })
  }

  /** The next claim of this worker, as it stands in a request. */
  nextClaim(fields: Partial<ClaimRequest> = {}): ClaimRequest {
    return { number: ++this.claims, types: [{ type: "mail", room: 100 }], max: 100, ...fields }
  }

  /** A claim, with all that the store says to it. */
  look(fields: Partial<ClaimRequest> = {}): Promise<ExchangeAnswer> {
    return this.exchange({ claim: this.nextClaim(fields) })
  }

  async claim(fields: Partial<ClaimRequest> = {}): Promise<readonly TaskRecord[]> {
    return (await this.look(fields)).claimed
  }

  /** The only task that there is to claim. */
  async claimOne(fields: Partial<ClaimRequest> = {}): Promise<TaskRecord> {
    return only(await this.claim(fields))
  }

  async settle(held: Held, outcome: Outcome, fields: Partial<SettleRequest> = {}): Promise<SettleAnswer> {
    return only((await this.exchange({ settles: [said(held, outcome, fields)] })).settled)
  }

  async heartbeat({ id, fence }: Held, progress: string | null = null): Promise<"ok" | "stale"> {
    return only((await this.exchange({ heartbeats: [{ id, fence, progress }] })).kept)
  }

  /** What this worker runs and was asked to stop. */
  async cancelled(): Promise<ExchangeAnswer["cancelled"]> {
    return (await this.exchange({})).cancelled
  }

  /** Settles the task and claims whatever is there then, in one step: the way to run one task many times over. */
  async again(held: Held, outcome: Outcome): Promise<TaskRecord> {
    return only((await this.exchange({ settles: [said(held, outcome)], claim: this.nextClaim() })).claimed)
  }
}
