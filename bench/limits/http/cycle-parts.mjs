// Where the time of a cycle goes. A slot of a limit is used again a window after it was counted at the earliest; what it took beyond
// that is the sum of four parts:
//   echo   how much later than it was counted Sluice took it to be, because of the answer's way back
//   claim  from the moment that the slot was free again until a worker had claimed a task for it
//   send   from there until the handler sends
//   way    from there until the provider counts

/** Of the shortest time out and back: what src/limits/window.ts takes an answer to be on its way back, where few pass in a window. */
const backShare = 1 / 2
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)

/** What each task said: when it was claimed, by the store, and its output. */
export async function readTimes(queue) {
  const times = new Map()
  let cursor = {}
  for (;;) {
    const page = await queue.list({ status: "completed", limit: 500, ...cursor })
    for (const { id, output, startedAt } of page.tasks) times.set(id, { ...output, claimedAtMs: startedAt.getTime() })
    if (page.cursor === null) return times
    cursor = { cursor: page.cursor }
  }
}

/** In ms, on average, of the accepted requests from `fromMs` on. Null where too few of them are known. */
export function cycleParts(log, times, { limit, perMs }, fromMs) {
  const accepted = log
    .filter(({ status, id }) => status === 200 && times.has(id))
    .map(({ id, countedAtMs }) => ({ ...times.get(id), countedAtMs }))
  const again = accepted
    .slice(limit)
    .map((entry, i) => ({ ...entry, before: accepted[i] }))
    .filter(({ countedAtMs }) => countedAtMs >= fromMs)
  if (again.length === 0) return null
  const backMs = backShare * Math.min(...accepted.map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs))
  const excessMs = mean(again.map(({ countedAtMs, before }) => countedAtMs - before.countedAtMs - perMs))
  const echoMs = mean(again.map(({ before }) => before.answeredAtMs - before.countedAtMs - backMs))
  const sendMs = mean(again.map(({ sentAtMs, claimedAtMs }) => sentAtMs - claimedAtMs))
  const wayMs = mean(again.map(({ countedAtMs, sentAtMs }) => countedAtMs - sentAtMs))
  return { excessMs, echoMs, claimMs: excessMs - echoMs - sendMs - wayMs, sendMs, wayMs }
}
