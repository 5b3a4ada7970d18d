// Numbers for people: grouped, short where they are long, rates with the unit that makes them readable.

const grouped = new Intl.NumberFormat("en")

/** "12,345"; beyond a million "1.23 M": the digits behind change faster than anybody reads. */
export function countText(count: number): string {
  if (count < 1_000_000) return grouped.format(count)
  const [of, unit] = count < 1_000_000_000 ? [1_000_000, "M"] : [1_000_000_000, "G"]
  return `${(count / of).toFixed(2)} ${unit}`
}

/** "1 task", "12,345 tasks" */
export function countedText(count: number, thing: string): string {
  return `${countText(count)} ${thing}${count === 1 ? "" : "s"}`
}

/** "12/s", "3.2/min", "0/s" */
export function rateText(perSecond: number): string {
  const [rate, unit] =
    perSecond >= 1 || perSecond === 0 ? [perSecond, "s"] : perSecond * 60 >= 1 ? [perSecond * 60, "min"] : [perSecond * 3_600, "h"]
  return `${rate >= 10 ? countText(Math.round(rate)) : Math.round(rate * 10) / 10}/${unit}`
}

/** Never "100 %" while something is left, never "0 %" where there is something. */
export function percentText(share: number): string {
  const percent = share >= 1 ? 100 : Math.min(99, Math.floor(share * 100))
  return `${share > 0 && percent === 0 ? "<1" : percent} %`
}

/** "once", "7 times". */
export function timesText(count: number): string {
  return count === 1 ? "once" : `${countText(count)} times`
}
