// A clock that jumps from event to event. Between two events all promises that can go on do so, so that clients written with `await`
// run on it unchanged.

class Event {
  constructor(atMs, order, run) {
    this.atMs = atMs
    this.order = order
    this.run = run
  }

  cancel() {
    this.run = null
  }
}

const isBefore = (a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)

/** Immediates run after all ticks and promises, those that they bring about included. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

export class EventLoop {
  #heap = []
  #nowMs
  #count = 0
  #isStopped = false

  constructor(startMs = 0) {
    this.#nowMs = startMs
  }

  nowMs = () => this.#nowMs

  /** Events of the same time run in the order in which they were asked for. */
  after = (ms, run) => this.at(this.#nowMs + Math.max(0, ms), run)

  at(atMs, run) {
    const event = new Event(atMs, this.#count++, run)
    this.#push(event)
    return event
  }

  /** For clients that wait: resolves after `ms`. */
  sleep = (ms) => new Promise((resolve) => this.after(ms, resolve))

  stop() {
    this.#isStopped = true
  }

  /** Runs until the given time, or until nothing is left to happen. Answers with the number of events. */
  async runUntil(endMs) {
    let ran = 0
    await settle()
    while (!this.#isStopped && this.#heap.length > 0 && this.#heap[0].atMs <= endMs) {
      const event = this.#pop()
      if (event.run === null) continue
      this.#nowMs = event.atMs
      event.run()
      ran++
      await settle()
    }
    if (!this.#isStopped) this.#nowMs = Math.max(this.#nowMs, endMs)
    return ran
  }

  #push(event) {
    const heap = this.#heap
    let i = heap.push(event) - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (!isBefore(event, heap[parent])) break
      heap[i] = heap[parent]
      i = parent
    }
    heap[i] = event
  }

  #pop() {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (heap.length === 0) return first
    let i = 0
    for (;;) {
      let child = 2 * i + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++
      if (!isBefore(heap[child], last)) break
      heap[i] = heap[child]
      i = child
    }
    heap[i] = last
    return first
  }
}
