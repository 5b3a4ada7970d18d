// A pace: admissions that keep a distance, whatever the rates would allow. What a controller has learned is enforced here. Costs
// count: one of ten pushes the next admission ten distances away.

export interface Pace {
  /** The distance of a cost of one. */
  readonly everyUs: number
  /** The earliest next admission. */
  readonly nextAtUs: number
  /** In thousandths, of the last dozen admissions or so: how many came as soon as they might. Little to send shows here. */
  readonly busy: number
}

export function newPace(everyUs: number): Pace {
  return { everyUs, nextAtUs: 0, busy: 0 }
}

/**
 * Nobody is told of an opening at the very moment. Who comes a little late does not delay those behind: the distance is kept on
 * average. For distances that are shorter than it takes to wake somebody, this is what lets several through at once.
 */
function lateUs(everyUs: number): number {
  return Math.min(50_000, Math.max(20_000, Math.floor(everyUs / 8)))
}

/** Distances of less than this are not told from coming at once. */
const atOnceUs = 25_000
const busyShare = 12

/** `leastUs`: the distance that whoever passes asks for himself. It is kept in full, however late he comes: somebody was promised it. */
export function chargePace(pace: Pace, nowUs: number, cost: number, leastUs: number): Pace {
  const everyUs = Math.max(pace.everyUs, leastUs)
  const onAverageUs = Math.max(pace.nextAtUs, nowUs - lateUs(everyUs)) + everyUs * cost
  const isBusy = nowUs - pace.nextAtUs <= Math.max(atOnceUs, everyUs / 2)
  const busy = pace.busy + Math.round(((isBusy ? 1_000 : 0) - pace.busy) / busyShare)
  return { everyUs: pace.everyUs, nextAtUs: Math.max(onAverageUs, nowUs + leastUs * cost), busy }
}

/** For a moment that is still to come. */
export function chargePaceAt(pace: Pace, atUs: number, cost: number, leastUs: number): Pace {
  return { ...pace, nextAtUs: Math.max(pace.nextAtUs, atUs) + Math.max(pace.everyUs, leastUs) * cost }
}

/** More or less was spent than was charged. */
export function correctPace(pace: Pace, more: number): Pace {
  return more === 0 ? pace : { ...pace, nextAtUs: Math.max(0, pace.nextAtUs + pace.everyUs * more) }
}

/** Another distance from now on; what has to be waited out of the last one changes with it. */
export function repace(pace: Pace | undefined, nowUs: number, everyUs: number): Pace {
  if (!pace) return { everyUs, nextAtUs: nowUs, busy: 0 }
  if (everyUs === pace.everyUs) return pace
  const leftUs = Math.max(0, pace.nextAtUs - nowUs)
  const scaledUs = pace.everyUs === 0 ? leftUs : Math.ceil((leftUs / pace.everyUs) * everyUs)
  return { ...pace, everyUs, nextAtUs: leftUs === 0 ? pace.nextAtUs : nowUs + scaledUs }
}

export function forecastPace(pace: Pace, fromUs: number, ahead: number, leastUs: number): number {
  return Math.max(fromUs, pace.nextAtUs) + ahead * Math.max(pace.everyUs, leastUs)
}
