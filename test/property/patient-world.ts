// A virtual world for a store behind a network: time stands still until every call that is under way has been answered.

import type { Store } from "../../src/store/contract.ts"
import { throughCalls } from "../../src/testing/through-calls.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"

export class PatientWorld extends VirtualWorld {
  private readonly underWay = new Set<Promise<unknown>>()

  /** The store, whose calls time waits for. */
  waitingFor(store: Store): Store {
    return throughCalls(store, (_operation, request, carryOut) => {
      const call = carryOut(request)
      this.underWay.add(call)
      const done = () => this.underWay.delete(call)
      call.then(done, done)
      return call
    })
  }

  override async settle(): Promise<void> {
    await super.settle()
    while (this.underWay.size > 0) {
      await Promise.allSettled(this.underWay)
      await super.settle()
    }
  }
}
