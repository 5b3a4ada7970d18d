// What the tests of limits outside the queue share: processes on one store, each with a line of its own that can be cut.

import { callsSettings } from "../../../src/queue/calls/index.ts"
import { type CallsOptions, type LimitCalls, Queue, queueDefaults } from "../../../src/queue/index.ts"
import type { HoldRequest, Operation } from "../../../src/store/index.ts"
import { open } from "../../../src/stores/memory/index.ts"
import { type Fault, faultyStore } from "../../../src/testing/faulty-store.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { sleep } from "../../../src/world/index.ts"

export interface TestProcess {
  readonly queue: Queue
  /** What it has said. */
  readonly holds: HoldRequest[]
  /** All that it has asked the store, by name. */
  readonly asked: Operation[]
  /** What happens to its calls to the store; null: nothing. */
  cut: Fault | null
}

let made = 0

/** Several processes in one world. */
export class Place {
  readonly world = new VirtualWorld()
  private readonly url = `memory:calls-${++made}`

  async process(calls: CallsOptions = {}): Promise<TestProcess> {
    const holds: HoldRequest[] = []
    const asked: Operation[] = []
    const process: { cut: Fault | null } = { cut: null }
    const store = await open({ url: this.url, namespace: "default", world: this.world })
    const through = faultyStore(store, (operation, request) => {
      asked.push(operation)
      if (operation === "hold") holds.push(request as HoldRequest)
      return process.cut
    })
    const queue = new Queue(through, this.world, queueDefaults.maxInputBytes, callsSettings(calls, {}))
    return Object.assign(process, { queue, holds, asked })
  }

  processes(count: number, calls?: CallsOptions): Promise<TestProcess[]> {
    return Promise.all(Array.from({ length: count }, () => this.process(calls)))
  }
}

/** Keeps a limit busy: so many at once ask again and again, and each takes this long. Counts who is in. */
export class Load {
  inside = 0
  most = 0
  runs = 0
  readonly errors: Error[] = []
  private isOver = false
  private readonly world: VirtualWorld
  private readonly loops: Promise<void>[] = []

  constructor(world: VirtualWorld) {
    this.world = world
  }

  on(limit: LimitCalls, workers: number, takesMs: number, options: Parameters<LimitCalls["acquire"]>[0] = {}): this {
    for (let n = 0; n < workers; n++) this.loops.push(this.loop(limit, takesMs, options))
    return this
  }

  /** The most that were in at once since the last time that this was asked. */
  takeMost(): number {
    const { most } = this
    this.most = this.inside
    return most
  }

  async stop(): Promise<void> {
    this.isOver = true
    for (let round = 0; round < 200; round++) await this.world.advance(500)
    await Promise.all(this.loops)
  }

  private async loop(limit: LimitCalls, takesMs: number, options: object): Promise<void> {
    while (!this.isOver) {
      try {
        await limit.run(async ({ signal }) => {
          this.inside++
          this.most = Math.max(this.most, this.inside)
          this.runs++
          await sleep(this.world, takesMs, signal)
          this.inside--
        }, options)
      } catch (error) {
        this.errors.push(error as Error)
        await sleep(this.world, 50)
      }
    }
  }
}
