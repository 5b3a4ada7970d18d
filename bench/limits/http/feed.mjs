// A backlog that does not run dry, for several gates: topped up from time to time to what they may use until the next look, and more.

const lookEveryMs = 250
/** The file is locked while a piece is written, and nobody claims meanwhile: a large one would show in the figures. */
const pieceSize = 25

/** `backlogs`: `[{ limit, name, size }]`, how many are to wait at each gate. `stop()` answers with how few waited at least, by name. */
export async function feed(queue, task, backlogs) {
  const least = Object.fromEntries(backlogs.map(({ name }) => [name, Number.POSITIVE_INFINITY]))
  let isStopped = false

  async function fill({ limit, name, size }, waiting) {
    const piece = new Array(pieceSize).fill({ limit, name })
    for (let missing = size - waiting; missing >= pieceSize; missing -= pieceSize) await queue.submitMany(task, piece)
  }

  async function look() {
    for (const backlog of backlogs) {
      const { gates } = await queue.limits.gates(backlog.limit, { key: backlog.name })
      const waiting = gates[0]?.waitingTasks ?? 0
      least[backlog.name] = Math.min(least[backlog.name], waiting)
      await fill(backlog, waiting)
    }
  }

  for (const backlog of backlogs) await fill(backlog, 0)
  const looking = (async () => {
    while (!isStopped) {
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
      if (!isStopped) await look()
    }
  })()
  // Told by `stop`; meanwhile nobody listens.
  looking.catch(() => {})
  return {
    async stop() {
      isStopped = true
      await looking
      return least
    },
  }
}
