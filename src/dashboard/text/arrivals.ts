// How many tasks came in, by what there is and what has ended: whatever is more than before has arrived.

import type { SampleDocument } from "../api/documents.ts"

/** Per second, one for each sample; of the first nothing is known. */
export function arrivalsOf(samples: readonly SampleDocument[]): number[] {
  return samples.map((sample, i) => {
    const before = samples[i - 1]
    if (before === undefined) return 0
    const seconds = Math.max(0.001, (Date.parse(sample.at) - Date.parse(before.at)) / 1_000)
    const more = sample.waiting + sample.running - before.waiting - before.running
    return Math.max(0, more / seconds + sample.completed + sample.failed + sample.cancelled + sample.expired)
  })
}
