// Seed 000: a task that was refused is rescheduled, after Retry-After or its 60 s; the workers go on with the next at once.

const workers = 50
const rescheduleMs = 60_000

export function seed000({ clock, send, source }) {
  const work = async () => {
    for (;;) {
      const task = await source.next()
      const { status, headers } = await send(task.key, task.cost)
      if (status === 200) continue
      const afterMs = headers["retry-after"] === undefined ? rescheduleMs : Number(headers["retry-after"]) * 1_000
      clock.after(afterMs, () => source.put(task))
    }
  }
  return Promise.all(Array.from({ length: workers }, work))
}
