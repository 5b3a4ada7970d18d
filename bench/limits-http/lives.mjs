// What the store says of each task afterwards: its end, and how often it was claimed, lost, tried again.

export async function readLives(queue, submitted) {
  const lives = []
  for (const { id, estimatedStartAt } of submitted) {
    const task = await queue.get(id)
    const history = await queue.history(id)
    const timesOf = (event) => history.filter((entry) => entry.event === event).map(({ at }) => at.getTime())
    lives.push({
      id,
      status: task.status,
      lastError: task.lastError,
      forecastAtMs: estimatedStartAt?.getTime() ?? null,
      claimedAtMs: timesOf("claimed"),
      completedAtMs: timesOf("completed"),
      // Without a retry left, a lost lease is a failure.
      lost: timesOf("lost").length + history.filter(({ event, error }) => event === "failed" && error?.startsWith("lease lost")).length,
      throttled: timesOf("throttled").length,
      again: timesOf("retried").length + timesOf("throttled").length + timesOf("released").length,
    })
  }
  return lives
}

/** Nothing waits and nothing runs. */
export async function untilEmpty(queue) {
  for (;;) {
    const { pending, running } = await queue.counts()
    if (pending + running === 0) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
