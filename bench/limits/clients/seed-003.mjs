// Seed 003: five slots, each with one task that is tried again after 2, 4, 8, 16 and then 30 s, in its slot.

const slots = 5
const mostBackoffMs = 30_000

export function seed003({ clock, send, source }) {
  const work = async () => {
    for (;;) {
      const task = await source.next()
      for (let attempt = 1; (await send(task.key, task.cost)).status !== 200; attempt++)
        await clock.sleep(Math.min(2 ** attempt * 1_000, mostBackoffMs))
    }
  }
  return Promise.all(Array.from({ length: slots }, work))
}
