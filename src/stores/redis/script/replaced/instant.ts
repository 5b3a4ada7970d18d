// In place of src/units/instant.ts, where Lua has no Date.

const lastMs = 8.64e15
const dayMs = 86_400_000

export function clampInstant(ms: number): number {
  return Math.min(ms, lastMs)
}

/** ISO 8601 in UTC; milliseconds only where there are some. */
export function formatInstant(ms: number): string {
  const [year, month, day] = dateOf(Math.floor(ms / dayMs))
  const left = ms - Math.floor(ms / dayMs) * dayMs
  const [hours, minutes] = [Math.floor(left / 3_600_000), Math.floor(left / 60_000) % 60]
  const [seconds, rest] = [Math.floor(left / 1_000) % 60, left % 1_000]
  const time = `${digits(hours, 2)}:${digits(minutes, 2)}:${digits(seconds, 2)}${rest === 0 ? "" : `.${digits(rest, 3)}`}`
  // Beyond four digits a year has a sign and six.
  return `${year > 9_999 ? `+${digits(year, 6)}` : digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}T${time}Z`
}

/** The date in the calendar of so many days after 1970-01-01, counted in cycles of 400 years that begin in March. */
function dateOf(days: number): [number, number, number] {
  const shifted = days + 719_468
  const cycle = Math.floor(shifted / 146_097)
  const ofCycle = shifted - cycle * 146_097
  const years = Math.floor((ofCycle - Math.floor(ofCycle / 1_460) + Math.floor(ofCycle / 36_524) - Math.floor(ofCycle / 146_096)) / 365)
  const ofYear = ofCycle - (365 * years + Math.floor(years / 4) - Math.floor(years / 100))
  const shiftedMonth = Math.floor((5 * ofYear + 2) / 153)
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return [years + cycle * 400 + (month <= 2 ? 1 : 0), month, ofYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1]
}

function digits(value: number, count: number): string {
  return `${value}`.padStart(count, "0")
}
