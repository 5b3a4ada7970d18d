// The textbook: a paced rate that grows by 0.1/s with every second and is halved by every 429.

const startPerSecond = 1
const growthPerSecond = 0.1
const leastPerSecond = 0.01

export async function aimd({ clock, send, source }) {
  let perSecond = startPerSecond
  let grownAtMs = clock.nowMs()
  const grow = () => {
    perSecond += (growthPerSecond * (clock.nowMs() - grownAtMs)) / 1_000
    grownAtMs = clock.nowMs()
  }
  const run = async (task) => {
    const { status } = await send(task.key, task.cost)
    if (status === 200) return
    source.put(task)
    grow()
    perSecond = Math.max(leastPerSecond, perSecond / 2)
  }
  for (;;) {
    run(await source.next())
    grow()
    await clock.sleep(1_000 / perSecond)
  }
}
