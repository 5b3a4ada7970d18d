// One live view: counts its events and keeps the last counts that it was told.
import { get } from "node:http"

export class Stream {
  events = 0
  counts = null
  isOpen = true
  #text = ""
  #heard = () => {}

  static async open(url, topics) {
    const stream = new Stream()
    stream.response = await new Promise((resolve, reject) => {
      stream.request = get(`${url}/api/v1/events?topics=${topics}`, { agent: false }, resolve).on("error", reject)
    })
    if (stream.response.statusCode !== 200) throw new Error(`bench http: a stream was refused with ${stream.response.statusCode}`)
    stream.response.setEncoding("utf8").on("data", (chunk) => stream.#read(chunk))
    stream.response.on("close", () => {
      stream.isOpen = false
      stream.#heard()
    })
    stream.request.on("error", () => {})
    return stream
  }

  /** Whether it tells them, or has told them, within so long. */
  async tellsCounts(counts, withinMs) {
    const wanted = JSON.stringify(counts)
    const isLate = AbortSignal.timeout(withinMs)
    while (this.isOpen && !isLate.aborted && JSON.stringify(this.counts) !== wanted)
      await new Promise((resolve) => {
        this.#heard = resolve
        isLate.addEventListener("abort", resolve, { once: true })
      })
    return JSON.stringify(this.counts) === wanted
  }

  close() {
    this.request.destroy()
  }

  #read(chunk) {
    const frames = (this.#text + chunk).split("\n\n")
    this.#text = frames.pop()
    for (const frame of frames) {
      if (!frame.startsWith("event: ")) continue
      this.events++
      if (frame.startsWith("event: counts\n")) this.counts = JSON.parse(frame.slice(frame.indexOf("data: ") + "data: ".length))
    }
    this.#heard()
  }
}
