// Every change of clocks in every zone from 2024 to 2030, found by asking for offsets, and what clocks show around one: by other means
// than those of the code under test.

export const fromMs = Date.UTC(2024, 0, 1)
export const toMs = Date.UTC(2031, 0, 1)

export interface Transition {
  readonly zone: string
  readonly atMs: number
  /** Offsets in milliseconds. */
  readonly before: number
  readonly after: number
}

/** Zones do not change their clocks and change them back within so short a time. */
const stepMs = 4 * 86_400_000

function offsetReader(zone: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" })
  return (atMs) => {
    const text = format.format(atMs)
    const [, sign, hours = "0", minutes = "0", seconds = "0"] = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text) ?? []
    return (sign === "-" ? -1_000 : 1_000) * (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds))
  }
}

export function transitionsOf(zone: string): Transition[] {
  const offset = offsetReader(zone)
  const found: Transition[] = []
  for (let [at, before] = [fromMs, offset(fromMs)]; at < toMs; at += stepMs) {
    const after = offset(at + stepMs)
    if (after === before) continue
    let [low, high] = [at, at + stepMs]
    while (high - low > 1_000) {
      const middle = low + Math.floor((high - low) / 2_000) * 1_000
      if (offset(middle) === before) low = middle
      else high = middle
    }
    found.push({ zone, atMs: high, before, after })
    before = after
  }
  return found
}

export const zones: readonly string[] = [
  ...Intl.supportedValuesOf("timeZone"),
  "UTC",
  "Antarctica/Troll",
  "Australia/Lord_Howe",
  "Asia/Beirut",
]

export interface History {
  readonly zone: string
  readonly firstOffset: number
  readonly transitions: readonly Transition[]
}

export const histories: readonly History[] = zones.map((zone) => ({
  zone,
  firstOffset: offsetReader(zone)(fromMs),
  transitions: transitionsOf(zone),
}))

/** One zone for each history that differs from all others. */
export const distinct: readonly History[] = [
  ...new Map(
    histories.map((history) => {
      const { firstOffset, transitions } = history
      return [JSON.stringify([firstOffset, transitions.map(({ atMs, after }) => [atMs, after])]), history]
    }),
  ).values(),
]

export function describeTransition({ zone, atMs, before, after }: Transition): string {
  return `${zone} at ${new Date(atMs).toISOString()} (${(after - before) / 60_000} min)`
}
