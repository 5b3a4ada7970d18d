// Whoever waits for work in this process. Waking may be for nothing, but is never left out.

export class Waiters {
  private readonly waiting = new Set<() => void>()

  wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        this.waiting.delete(done)
        signal.removeEventListener("abort", done)
        resolve()
      }
      this.waiting.add(done)
      signal.addEventListener("abort", done, { once: true })
    })
  }

  wake(): void {
    for (const done of [...this.waiting]) done()
  }
}
