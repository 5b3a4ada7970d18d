// A queue for the bench: one task type, a limit that holds its tasks for ten hours, and one that holds nobody.
import { connect, defineLimit, defineTask } from "../../dist/index.js"

/** One in ten hours, for each key: what is behind the first of a key waits. */
const scarce = defineLimit("scarce", { rate: { limit: 1, per: "10h", provider: "sliding" } })
const plenty = defineLimit("plenty", { rate: { limit: 1_000_000, per: "1s", provider: "sliding" } })

const call = defineTask("call", {
  limits: (input) => [input.scarce === undefined ? plenty(input.plenty) : scarce(input.scarce)],
  run: () => {},
})

const batch = 1_000
let opened = 0

export class Backlog {
  static async open(url, namespace = "default") {
    return new Backlog(await connect(url, { namespace }))
  }

  /** What it claims. */
  type = "call"

  constructor(queue) {
    this.queue = queue
    // Claims are numbered by their worker.
    this.workerId = `bench-worker-${process.pid}-${opened++}`
    this.number = 0
    this.settles = []
  }

  /** So many tasks, spread over so many gates; then everything that may start is run: one task a gate. Answers with what is left. */
  async fill(tasks, gates, tell) {
    for (let done = 0; done < tasks; done += batch) {
      const inputs = Array.from({ length: Math.min(batch, tasks - done) }, (_, i) => ({ scarce: `key-${(done + i) % gates}` }))
      await this.queue.submitMany(call, inputs)
      if (done % 100_000 === 0) tell(done)
    }
    let started = 0
    for (;;) {
      const { claimed, more } = await this.claim(100)
      started += claimed
      if (claimed === 0 && !more) return tasks - started
    }
  }

  /** Tasks that nothing holds, at a few gates. */
  offer(count) {
    return this.queue.submitMany(
      call,
      Array.from({ length: count }, (_, i) => ({ plenty: `key-${i % 3}` })),
    )
  }

  /** One exchange: settles what the last one claimed, and claims. */
  async claim(max) {
    const request = {
      workerId: this.workerId,
      leaseMs: 60_000,
      heartbeats: [],
      settles: this.settles,
      claim: { number: ++this.number, max, types: [{ type: this.type, room: max }] },
    }
    const startedAtMs = performance.now()
    const answer = await this.queue.store.exchange(request)
    const ms = performance.now() - startedAtMs
    this.settles = answer.claimed.map(({ id, fence }) => ({
      id,
      fence,
      outcome: { kind: "completed", output: null },
      spent: [],
      sentAgoMs: 0,
      respondedAgoMs: 0,
      rttMs: null,
    }))
    return { ms, claimed: answer.claimed.length, touched: answer.touched, more: answer.more }
  }

  close() {
    return this.queue.close()
  }
}
