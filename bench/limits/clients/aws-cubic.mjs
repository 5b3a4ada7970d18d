// The client rate limiter of the AWS SDKs' adaptive retry mode: a token bucket that is off until the first throttle. Its rate falls to
// 0.7 of what was measured, then follows a cubic curve, at most at twice the measured rate. Written after its description; the SDK's
// own backoff between the attempts of a call is left out, because a backlog has other calls to make.

const beta = 0.7
const scaleConstant = 0.4
const smooth = 0.8
const leastRate = 0.5
const leastCapacity = 1
const mostAtOnce = 10

class CubicRate {
  #clock
  #isOn = false
  #fillRate = leastRate
  #capacity = leastCapacity
  #tokens = 0
  #filledAt = null
  #measuredRate = 0
  #measuredAt
  #sent = 0
  #lastMaxRate = 0
  #throttledAt
  #windowSeconds = 0

  constructor(clock) {
    this.#clock = clock
    this.#measuredAt = Math.floor(this.#now())
    this.#throttledAt = this.#now()
  }

  async acquire() {
    if (!this.#isOn) return
    this.#fill()
    if (this.#tokens < 1) await this.#clock.sleep(((1 - this.#tokens) / this.#fillRate) * 1_000)
    this.#tokens--
  }

  learn(isThrottled) {
    this.#measure()
    const rate = isThrottled ? this.#throttle() : this.#recover()
    this.#setRate(Math.min(rate, 2 * this.#measuredRate))
  }

  #throttle() {
    const rate = this.#isOn ? Math.min(this.#measuredRate, this.#fillRate) : this.#measuredRate
    this.#lastMaxRate = rate
    this.#setWindow()
    this.#throttledAt = this.#now()
    this.#isOn = true
    return rate * beta
  }

  #recover() {
    this.#setWindow()
    return scaleConstant * (this.#now() - this.#throttledAt - this.#windowSeconds) ** 3 + this.#lastMaxRate
  }

  #setWindow() {
    this.#windowSeconds = Math.cbrt((this.#lastMaxRate * (1 - beta)) / scaleConstant)
  }

  #setRate(rate) {
    this.#fill()
    this.#fillRate = Math.max(rate, leastRate)
    this.#capacity = Math.max(rate, leastCapacity)
    this.#tokens = Math.min(this.#tokens, this.#capacity)
  }

  #fill() {
    const now = this.#now()
    if (this.#filledAt !== null) this.#tokens = Math.min(this.#capacity, this.#tokens + (now - this.#filledAt) * this.#fillRate)
    this.#filledAt = now
  }

  /** Answers in stretches of half a second, smoothed. */
  #measure() {
    const stretch = Math.floor(this.#now() * 2) / 2
    this.#sent++
    if (stretch <= this.#measuredAt) return
    this.#measuredRate = (this.#sent / (stretch - this.#measuredAt)) * smooth + this.#measuredRate * (1 - smooth)
    this.#sent = 0
    this.#measuredAt = stretch
  }

  #now() {
    return this.#clock.nowMs() / 1_000
  }
}

/** One caller asks for tokens, in order: many at once wait for the same token and then send together, which costs the limiter more. */
export async function awsCubic({ clock, send, source }) {
  const rate = new CubicRate(clock)
  let running = 0
  let wake = null
  const run = async (task) => {
    const { status } = await send(task.key, task.cost)
    running--
    rate.learn(status === 429)
    if (status !== 200) source.put(task)
    wake?.()
  }
  for (;;) {
    const task = await source.next()
    await rate.acquire()
    running++
    run(task)
    if (running < mostAtOnce) continue
    await new Promise((resolve) => {
      wake = resolve
    })
    wake = null
  }
}
