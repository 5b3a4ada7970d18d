// Where the script is played: one fresh place of a store, one virtual time, a connection for each process, and one log of events.

import type { Store } from "../../src/store/index.ts"
import type { Backing, OpenBacking } from "../../src/testing/conformance/index.ts"
import { type HistoryEvent, historyLog, policyFact, VirtualWorld, type WriteFact } from "../../src/testing/index.ts"
import { ScriptedProcess, type Watch } from "./process.ts"
import { limits } from "./tasks.ts"

export const victimName = "worker-a"
export const otherName = "worker-b"

export class Stage {
  readonly world: VirtualWorld
  readonly events: HistoryEvent[]
  readonly write: WriteFact
  private readonly backing: Backing
  private readonly opened = new Set<Store>()

  static async open(openBacking: OpenBacking): Promise<Stage> {
    const stage = new Stage(await openBacking(), new VirtualWorld())
    for (const [name, policy] of Object.entries(limits)) stage.write(policyFact(name, policy))
    return stage
  }

  constructor(backing: Backing, world: VirtualWorld, known: readonly HistoryEvent[] = []) {
    this.backing = backing
    this.world = world
    this.events = [...known]
    this.write = this.log(known.length === 0 ? "stage" : "stage afterwards")
  }

  /** The same place after everybody was stopped at the time given; what they have written down is known. */
  static after(backing: Backing, stoppedAtMs: number, known: readonly HistoryEvent[]): Stage {
    const stage = new Stage(backing, new VirtualWorld({ startMs: stoppedAtMs }), known)
    for (const name of [victimName, otherName]) stage.killed(name)
    return stage
  }

  /** Another connection, whose calls nobody writes down. */
  async connect(): Promise<Store> {
    const store = await this.backing.open({ world: this.world })
    this.opened.add(store)
    return store
  }

  async start(name: string, watch: Watch = {}): Promise<ScriptedProcess> {
    return this.startOn(await this.backing.open({ world: this.world }), name, watch)
  }

  /** On a connection that somebody has made for it. */
  startOn(store: Store, name: string, watch: Watch = {}): ScriptedProcess {
    this.opened.add(store)
    return new ScriptedProcess(name, store, this.log(name), watch)
  }

  /** For longer than a lease lasts, perhaps: it explains what was lost meanwhile. */
  async pause(names: readonly string[], ms: number): Promise<void> {
    const atMs = this.world.wallMs()
    for (const victim of names) this.write({ op: "fault", fault: "pause", victim, atMs, untilMs: atMs + ms })
    await this.world.advance(ms)
  }

  killed(victim: string): void {
    this.write({ op: "fault", fault: "kill", victim, untilMs: null })
  }

  async close(): Promise<void> {
    for (const store of this.opened) await store.close()
    await this.backing.close()
  }

  private log(proc: string): WriteFact {
    return historyLog(
      proc,
      () => this.world.wallMs(),
      (event) => this.events.push(event),
    )
  }
}
