// What a test of the suite is made of: a fresh backing, a world whose time only the test moves, and a desk with the first
// connection. Tests speak to the store through its contract alone, so that every store can be held to them.

import { ok } from "node:assert/strict"
import type { Store } from "../../store/contract.ts"
import { sleep, systemWorld, type World } from "../../world/index.ts"
import { VirtualWorld } from "../virtual-world.ts"
import { Desk } from "./desk.ts"

/** The place where one store keeps its data: several opens share it, as several processes would. */
export interface Backing {
  open(options: { readonly namespace?: string; readonly world: World }): Promise<Store>
  close(): Promise<void>
}

export type OpenBacking = () => Promise<Backing>

export interface StoreTest {
  readonly theme: string
  /** What holds. */
  readonly name: string
  run(bench: Bench): Promise<void>
}

export function theme(name: string, tests: Readonly<Record<string, StoreTest["run"]>>): readonly StoreTest[] {
  return Object.entries(tests).map(([holds, run]) => ({ theme: name, name: holds, run }))
}

export class Bench extends Desk {
  private readonly backing: Backing
  private readonly opened: Store[]

  static async open(openBacking: OpenBacking): Promise<Bench> {
    const backing = await openBacking()
    const world = new VirtualWorld()
    try {
      return new Bench(backing, world, await backing.open({ world }))
    } catch (error) {
      await backing.close()
      throw error
    }
  }

  private constructor(backing: Backing, world: VirtualWorld, store: Store) {
    super(store, world)
    this.backing = backing
    this.opened = [store]
  }

  /** Another connection, as another process would have it; with a world of its own, as on another machine. */
  async connect(options: { readonly namespace?: string; readonly world?: VirtualWorld } = {}): Promise<Desk> {
    const world = options.world ?? this.world
    const store = await this.backing.open({ ...options, world })
    this.opened.push(store)
    return new Desk(store, world, options.namespace === undefined ? this.declared : undefined)
  }

  async close(): Promise<void> {
    try {
      for (const store of this.opened) await store.close()
    } finally {
      await this.backing.close()
    }
  }

  /**
   * Moves time on in small steps until the promise is kept: a store may look for news by polling. One on a network takes real time as well,
   * which a busy machine has little of.
   */
  async until<T>(promise: Promise<T>, expected: string): Promise<T> {
    let isKept = false
    const watched = promise.finally(() => {
      isKept = true
    })
    watched.catch(() => {})
    await this.world.settle()
    for (let round = 0; round < 2_000 && !isKept; round++) {
      await this.world.advance(10)
      if (round >= 20 && !isKept) await sleep(systemWorld, 5)
    }
    ok(isKept, `expected ${expected}`)
    return watched
  }

  /** Calls that arrive at once, from as many connections as they were started on. */
  together<T>(calls: readonly Promise<T>[]): Promise<T[]> {
    return this.until(Promise.all(calls), `${calls.length} calls at once to be answered`)
  }
}
