// Seed 004, flaws included: a delay between requests that grows by 1 s with every 429, those of one episode each on their own, and is
// probed 1 s lower after 20 successes in a row. A probe that fails before the next 20 is taken back, and the
// delay it failed at is never tried again.

const baseMs = 500
const stepMs = 1_000
const mostMs = 60_000
const successesToProbe = 20
const workers = 10
/** For every so much above the base, one worker less. */
const msPerWorker = 5_000

export async function seed004({ clock, send, source }) {
  let delayMs = baseMs
  let floorMs = baseMs
  let successes = 0
  let isProbing = false
  let nextAtMs = clock.nowMs()
  let running = 0
  let wake = null

  const succeeded = () => {
    if (++successes < successesToProbe) return
    successes = 0
    isProbing = false
    if (delayMs - stepMs < floorMs) return
    delayMs -= stepMs
    isProbing = true
  }
  const refused = () => {
    successes = 0
    const raisedMs = Math.min(delayMs + stepMs, mostMs)
    if (isProbing) floorMs = raisedMs
    isProbing = false
    delayMs = raisedMs
    nextAtMs = Math.max(nextAtMs, clock.nowMs() + delayMs)
  }
  const run = async (task) => {
    const { status } = await send(task.key, task.cost)
    running--
    if (status === 200) succeeded()
    else {
      refused()
      source.put(task)
    }
    wake?.()
  }

  for (;;) {
    if (running >= Math.max(1, workers - Math.floor((delayMs - baseMs) / msPerWorker))) {
      await new Promise((resolve) => {
        wake = resolve
      })
      wake = null
      continue
    }
    const task = await source.next()
    while (clock.nowMs() < nextAtMs) await clock.sleep(nextAtMs - clock.nowMs())
    nextAtMs = clock.nowMs() + delayMs
    running++
    run(task)
  }
}
