// One live view as text/event-stream. What was not sent yet is kept once for each kind and id, so a slow reader costs no memory; a comment
// now and then tells both sides that the other lives.

import type { Timer, World } from "../world/index.ts"
import type { Interest, Watcher } from "./watcher.ts"

const pingEveryMs = 15_000

export function eventStream(watcher: Watcher, interest: Interest, world: World, ended: () => void): ReadableStream<Uint8Array> {
  const pending = new Map<string, string>()
  const encoder = new TextEncoder()
  let wake: (() => void) | null = null
  let timer: Timer | null = null
  let unsubscribe = () => {}

  const ready = () => {
    timer?.cancel()
    wake?.()
    wake = null
  }
  const finish = () => {
    unsubscribe()
    ready()
    ended()
  }
  return new ReadableStream<Uint8Array>(
    {
      start() {
        pending.set("", ": sluice\n\n")
        unsubscribe = watcher.subscribe({
          ...interest,
          tell(event, id, data) {
            const value = id === "" ? data : `{"id":${JSON.stringify(id)},"value":${data}}`
            pending.set(`${event} ${id}`, `event: ${event}\ndata: ${value}\n\n`)
            ready()
          },
        })
      },
      async pull(controller) {
        if (pending.size === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve
            timer = world.timer(pingEveryMs, ready)
          })
        }
        const frames = pending.size === 0 ? ": ping\n\n" : [...pending.values()].join("")
        pending.clear()
        controller.enqueue(encoder.encode(frames))
      },
      cancel: finish,
    },
    { highWaterMark: 0 },
  )
}
