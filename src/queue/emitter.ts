// Typed events, for whoever has something to tell: a worker, a queue.

import { EventEmitter } from "node:events"
import { oneOf } from "../units/index.ts"

export class Emitter<Events> {
  private readonly emitter = new EventEmitter()
  private readonly checkName: (where: string, name: unknown) => string

  /** Every name there is: a listener to another would never be called. */
  constructor(names: Readonly<Record<keyof Events & string, true>>) {
    this.checkName = oneOf(...Object.keys(names))
  }

  on<Name extends keyof Events & string>(name: Name, listener: (event: Events[Name]) => void): void {
    this.emitter.on(this.checkName("on: the name of an event", name), listener)
  }

  off<Name extends keyof Events & string>(name: Name, listener: (event: Events[Name]) => void): void {
    this.emitter.off(name, listener)
  }

  emit<Name extends keyof Events & string>(name: Name, event: Events[Name]): void {
    try {
      this.emitter.emit(name, event)
    } catch (error) {
      // A listener's mistake is as loud as any uncaught error, but does not stop whoever tells halfway through a step.
      queueMicrotask(() => {
        throw error
      })
    }
  }

  /** Whether anyone listens: what is built for nobody need not be built. */
  hasListeners(name: keyof Events & string): boolean {
    return this.emitter.listenerCount(name) > 0
  }
}
