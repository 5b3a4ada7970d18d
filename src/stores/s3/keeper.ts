// Keeps the log short: writes a snapshot when a line is crossed, and removes what an old snapshot has taken the place of. Where the lines are
// follows from the log alone, so everybody knows whose turn it is: that of whoever wrote the record that crosses one. If that process is
// killed before, the next line is as good.

import { blockRecords, firstOfBlock, type Keys, numberIn } from "./layout.ts"
import type { Log } from "./log.ts"
import type { Objects } from "./objects.ts"
import { capture, saveSnapshot } from "./snapshot.ts"

/** Records from one line to the next: more where there is more to write. */
const fewestRecords = 512
const mostRecords = 4_096
const tasksPerRecord = 64
const fewestBytes = 1_024 * 1_024
const bytesPerTask = 256
/** Removed at the same time. */
const removals = 16

export interface KeeperOptions {
  readonly objects: Objects
  readonly keys: Keys
  readonly writer: string
  readonly recordsKeptMs: number
}

export class Keeper {
  private readonly options: KeeperOptions
  private underWay: Promise<void> | null = null
  private isClosed = false

  constructor(options: KeeperOptions) {
    this.options = options
  }

  /** A record was applied; the state is the one behind it. */
  heard(log: Log, writer: string): void {
    const { records, bytes } = log.sinceLine
    const { size } = log.replica.records
    const isLine =
      records >= Math.min(mostRecords, Math.max(fewestRecords, size / tasksPerRecord)) ||
      bytes >= Math.max(fewestBytes, size * bytesPerTask)
    if (!isLine) return
    log.sinceLine = { records: 0, bytes: 0 }
    if (writer !== this.options.writer || this.underWay || this.isClosed) return
    const { objects, keys } = this.options
    const captured = capture(log.replica)
    // What fails here is done at the next line.
    this.underWay = saveSnapshot(objects, keys, captured, writer)
      .then(async () => void (await this.clean()))
      .catch(() => {})
      .finally(() => {
        this.underWay = null
      })
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.underWay
  }

  /** Records that a snapshot has long taken the place of, and older snapshots. Answers how many records were removed. */
  async clean(): Promise<number> {
    const { objects, keys, recordsKeptMs } = this.options
    const { objects: listed, dateMs } = await objects.list(keys.snapshots)
    const old = listed.filter(({ modifiedAtMs }) => dateMs - modifiedAtMs >= recordsKeptMs)
    const upTo = Math.max(0, ...old.map(({ key }) => numberIn(key) ?? 0))
    const removed = await this.removeRecords(upTo)
    for (const { key } of old) if ((numberIn(key) ?? 0) < upTo) await objects.remove(key)
    return removed
  }

  /** Whole blocks, oldest first; of each the first record before all others: whoever finds that one knows that the others are there. */
  private async removeRecords(upTo: number): Promise<number> {
    const { objects, keys } = this.options
    const endBlock = Math.floor((upTo + 1) / blockRecords)
    const firstBlock = await this.firstBlock(endBlock)
    let removed = 0
    for (let block = firstBlock; block < endBlock && !this.isClosed; block++) {
      const first = firstOfBlock(block * blockRecords)
      const last = (block + 1) * blockRecords - 1
      await objects.remove(keys.record(first))
      for (let number = first + 1; number <= last; number += removals) {
        const some = Array.from({ length: Math.min(removals, last - number + 1) }, (_, i) => number + i)
        await Promise.all(some.map((one) => objects.remove(keys.record(one))))
      }
      removed += last - first + 1
    }
    return removed
  }

  /** The one before the first that begins with a record: its removal may have been cut short. */
  private async firstBlock(endBlock: number): Promise<number> {
    const { objects, keys } = this.options
    let [low, high] = [0, endBlock]
    while (low < high) {
      const middle = (low + high) >> 1
      if (await objects.exists(keys.record(firstOfBlock(middle * blockRecords)))) high = middle
      else low = middle + 1
    }
    return Math.max(0, low - 1)
  }
}
