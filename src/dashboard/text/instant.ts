// Instants for people: the time of day where it is today, else with the date; in the zone of whoever looks. The exact one, in UTC, is in
// the element beside it.

const time = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" })
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" })
const year = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" })

export function instantText(atMs: number, nowMs: number): string {
  const [at, now] = [new Date(atMs), new Date(nowMs)]
  if (at.toDateString() === now.toDateString()) return time.format(at)
  return `${(at.getFullYear() === now.getFullYear() ? day : year).format(at)}, ${time.format(at).slice(0, 5)}`
}
