// A worker without handlers: each exchange settles what the last one claimed, and claims again.

let made = 0

export class Exchanger {
  constructor(store, type, size) {
    this.store = store
    this.size = size
    this.types = [{ type, room: size }]
    this.workerId = `bench-${process.pid}-${made++}`
    this.number = 0
    this.settles = []
  }

  async next() {
    const { claimed } = await this.store.exchange({
      workerId: this.workerId,
      leaseMs: 60_000,
      heartbeats: [],
      settles: this.settles,
      claim: { number: ++this.number, max: this.size, types: this.types },
    })
    if (claimed.length !== this.size) throw new Error(`bench http: expected ${this.size} tasks from a claim, got ${claimed.length}`)
    const rest = { spent: [], sentAgoMs: 0, respondedAgoMs: 0, rttMs: null }
    this.settles = claimed.map(({ id, fence }) => ({ id, fence, outcome: { kind: "completed", output: null }, ...rest }))
  }
}
