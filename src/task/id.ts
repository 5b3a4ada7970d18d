// Task ids: UUID version 7, so that they sort by the time they were made. Made by the caller, before the first attempt to
// submit, so that a submission whose answer was lost can be repeated. Written here because clock and randomness come from
// the seam and ids of one process must keep their order within a millisecond.

const counterBits = 12
const counterMax = 2 ** counterBits - 1

export interface IdSource {
  wallMs(): number
  randomBytes(count: number): Uint8Array
}

export function idMaker(source: IdSource): () => string {
  let lastMs = 0
  let counter = 0
  return () => {
    const nowMs = source.wallMs()
    if (nowMs > lastMs) {
      lastMs = nowMs
      counter = 0
    } else if (++counter > counterMax) {
      lastMs++
      counter = 0
    }
    const time = lastMs.toString(16).padStart(12, "0")
    const random = Buffer.from(source.randomBytes(8))
    random[0] = ((random[0] ?? 0) & 0x3f) | 0x80
    const tail = random.toString("hex")
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, "0")}-${tail.slice(0, 4)}-${tail.slice(4)}`
  }
}
