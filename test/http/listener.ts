// Reads a stream of the server until somebody closes it, and keeps what it was told.

import assert from "node:assert/strict"
import type { Stage } from "./kit.ts"

interface Told {
  readonly event: string
  readonly data: unknown
}

export class Listener {
  readonly told: Told[] = []
  private readonly stop = new AbortController()
  private wake = () => {}

  static async open(server: Stage, query: string, headers: Record<string, string> = {}): Promise<Listener> {
    const listener = new Listener()
    const response = await fetch(`${server.server.url}/api/v1/events?${query}`, { headers, signal: listener.stop.signal })
    assert.equal(response.status, 200)
    assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/)
    void listener.read(response.body as ReadableStream<Uint8Array>).catch(() => {})
    return listener
  }

  /** The first event of the kind whose data fits: it may have come already. */
  async until(event: string, fits: (data: never) => boolean): Promise<unknown> {
    for (;;) {
      const found = this.told.find((one) => one.event === event && fits(one.data as never))
      if (found) return found.data
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }

  /** Nothing of what was told before is kept. */
  forget(): void {
    this.told.length = 0
  }

  close(): void {
    this.stop.abort()
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = ""
    for await (const chunk of body.pipeThrough(new TextDecoderStream() as never) as unknown as AsyncIterable<string>) {
      text += chunk
      const frames = text.split("\n\n")
      text = frames.pop() ?? ""
      for (const frame of frames) {
        const event = /^event: (.*)$/m.exec(frame)?.[1]
        if (event === undefined) continue
        this.told.push({ event, data: JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? "null") })
      }
      this.wake()
    }
  }
}
