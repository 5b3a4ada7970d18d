// How fast one client may ask: a bucket for each, by the same algebra that keeps the limits of tasks.

import { SluiceError } from "../errors/index.ts"
import { admit, emptyGate, type GatePolicy, type GateState } from "../limits/index.ts"
import type { World } from "../world/index.ts"

/** Those that were heard of the longest ago are forgotten: their buckets are full again. */
const mostClients = 10_000

export class RequestRate {
  private readonly policy: GatePolicy
  private readonly world: World
  private readonly gates = new Map<string, GateState>()

  constructor(perSecond: number, world: World) {
    const rate = {
      limit: perSecond,
      perUs: 1_000_000,
      provider: "bucket",
      burst: perSecond * 2,
      phaseUs: 0,
      guardUs: 0,
      slackUs: 0,
    } as const
    this.policy = { rates: [rate], concurrency: null }
    this.world = world
  }

  check(client: string): void {
    const nowUs = Math.floor(this.world.monotonicMs() * 1_000)
    const state = this.gates.get(client) ?? emptyGate(this.policy)
    const answer = admit(this.policy, state, nowUs, { id: "", fence: 0, cost: 1, untilUs: nowUs })
    if (answer.kind === "refused") throw new TooManyRequests(Math.max(1, Math.ceil((answer.atUs - nowUs) / 1_000_000)))
    this.gates.delete(client)
    this.gates.set(client, answer.state)
    if (this.gates.size > mostClients) for (const oldest of this.gates.keys()) return void this.gates.delete(oldest)
  }
}

export class TooManyRequests extends SluiceError {
  readonly retryAfterSeconds: number

  constructor(retryAfterSeconds: number, message = "expected fewer requests a second from this client; try again later") {
    super("too_many_requests", message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}
