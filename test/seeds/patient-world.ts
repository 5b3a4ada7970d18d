// A world whose time waits for a store that is on the network: it goes on when every call is answered and what follows from it is done.

import type { Store } from "../../src/store/index.ts"
import { throughCalls } from "../../src/testing/through-calls.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"

export class PatientWorld extends VirtualWorld {
  private readonly underWay = new Set<Promise<unknown>>()

  readonly through = (store: Store): Store =>
    throughCalls(store, (_operation, request, call) => {
      const answer = call(request)
      this.underWay.add(answer)
      const done = () => this.underWay.delete(answer)
      answer.then(done, done)
      return answer
    })

  override async settle(): Promise<void> {
    do {
      await Promise.allSettled(this.underWay)
      await super.settle()
    } while (this.underWay.size > 0)
  }
}
