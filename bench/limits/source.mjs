// Where clients get their tasks from: `next()` resolves with one as soon as there is one, `put(task)` gives one back, to the front.

const task = (key, cost) => ({ key, cost, attempts: 0 })

/** A backlog that never ends, but for `idle` stretches `[{ fromMs, toMs }]` in which there is nothing to do. */
export function backlog(clock, { key = "a", idle = [] } = {}) {
  const returned = []
  return {
    async next() {
      const pause = idle.find(({ fromMs, toMs }) => clock.nowMs() >= fromMs && clock.nowMs() < toMs)
      if (pause) await clock.sleep(pause.toMs - clock.nowMs())
      return returned.pop() ?? task(key, 1)
    },
    put: (one) => returned.push(one),
  }
}

/** Tasks that come at given times: `[{ atMs, cost }]`, in order of time. */
export function arrivals(clock, trace, { key = "a" } = {}) {
  const waiting = []
  const takers = []
  const offer = (one, isFirst) => {
    const taker = takers.shift()
    if (taker) taker(one)
    else if (isFirst) waiting.unshift(one)
    else waiting.push(one)
  }
  const arrive = (i) => {
    if (i === trace.length) return
    clock.after(trace[i].atMs - clock.nowMs(), () => {
      offer(task(key, trace[i].cost ?? 1), false)
      arrive(i + 1)
    })
  }
  arrive(0)
  return {
    next: () => (waiting.length > 0 ? Promise.resolve(waiting.shift()) : new Promise((resolve) => takers.push(resolve))),
    put: (one) => offer(one, true),
  }
}
