// Handlers that run until the test lets them go.

import assert from "node:assert/strict"

export class Held {
  readonly started: string[] = []
  private isOver = false
  private readonly waiting: { readonly name: string; readonly go: () => void }[] = []

  run(name: string): Promise<string> {
    this.started.push(name)
    const done = `${name} done`
    return this.isOver ? Promise.resolve(done) : new Promise((resolve) => this.waiting.push({ name, go: () => resolve(done) }))
  }

  /** Nobody is held any more: a worker that stops waits for those that run. */
  end(): void {
    this.isOver = true
    for (const { go } of this.waiting) go()
  }

  letGo(name: string): void {
    const found = this.waiting.find((one) => one.name === name)
    assert.ok(found, `expected ${name} to run, but only ${this.started.join(", ") || "nothing"} has been started`)
    found.go()
  }
}
