// Seed 002's flow chart, flaws included: a counter for each aligned window, raised by every check; a counter of delayed jobs, raised by
// every delay and lowered only when a delayed job runs; the estimate of when a job is ready from the two.

/** Of a backlog without end it looks at this many windows' worth at once. */
const mostWindowsDelayed = 20

export async function seed002({ clock, send, source, limit, perMs }) {
  let window = Number.NEGATIVE_INFINITY
  let calls = 0
  let enqueued = 0
  let delayed = 0
  let wake = null

  const check = (task, wasDelayed) => {
    const current = Math.floor(clock.nowMs() / perMs)
    if (current !== window) [window, calls] = [current, 0]
    if (++calls <= limit) {
      if (wasDelayed) enqueued--
      run(task)
      return
    }
    const readyAtMs = (window + 1) * perMs + Math.floor(enqueued++ / limit) * perMs
    delayed++
    clock.after(readyAtMs - clock.nowMs(), () => {
      delayed--
      check(task, true)
      wake?.()
    })
  }

  const run = async (task) => {
    const { status } = await send(task.key, task.cost)
    if (status !== 200) check(task, false)
  }

  for (;;) {
    if (delayed >= mostWindowsDelayed * limit) {
      await new Promise((resolve) => {
        wake = resolve
      })
      wake = null
    } else check(await source.next(), false)
  }
}
