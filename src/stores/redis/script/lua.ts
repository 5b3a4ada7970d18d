// Texts as Lua has them, which are bytes, and numbers as texts.

/** @noSelf */
interface Texts {
  sub(text: string, from: number, to?: number): string
  find(text: string, what: string, from: number, isPlain: true): LuaMultiReturn<[number | undefined, number | undefined]>
  char(code: number): string
  format(pattern: string, value: number): string
  len(text: string): number
}

declare const string: Texts
declare function tonumber(this: void, text: unknown): number | undefined

/** The first `count` bytes. */
export function firstBytes(text: string, count: number): string {
  return string.sub(text, 1, count)
}

/** What comes after the first `count` bytes. */
export function bytesAfter(text: string, count: number): string {
  return string.sub(text, count + 1)
}

/** How many bytes stand before the mark; null where it is not there. */
export function bytesBefore(text: string, mark: string): number | null {
  const [at] = string.find(text, mark, 1, true)
  return at === undefined ? null : at - 1
}

/** What the server answers where it has a number: a score, a counter. Null where there is none. */
export function toNumber(reply: unknown): number | null {
  return tonumber(reply) ?? null
}

/** Digits that stand in the order of the numbers when they are compared as text: how many there are, and then they. */
export function sortable(number: number): string {
  const digits = string.format("%.0f", number)
  return `${string.char(64 + string.len(digits))}${digits}`
}

/** Null where it is none that `sortable` has made. */
export function fromSortable(text: string): number | null {
  const number = tonumber(string.sub(text, 2)) ?? null
  return number !== null && number < 1e16 && sortable(number) === text ? number : null
}

/** Numbers as texts: the last three digits of each are made once, and what is before them is that of the number before in most cases. */
const tails: string[] = []
const paddedTails: string[] = []
for (let i = 0; i < 1_000; i++) {
  tails[i] = `${i}`
  paddedTails[i] = string.format("%03d", i)
}
let stem = 0
let stemDigits = ""
let paddedStem = string.format("%013d", 0)

function findStem(number: number): void {
  stem = number
  stemDigits = number === 0 ? "" : string.format("%.0f", number)
  paddedStem = string.format("%013.0f", number)
}

/** A number in digits, as a command that is given a number writes it; one that is whole is written five times as quickly here. */
export function digits(number: number): string {
  const tail = number % 1_000
  const text = paddedTails[tail]
  if (text === undefined || number < 0) return string.format("%.17g", number)
  const before = (number - tail) / 1_000
  if (before === 0) return tails[tail] as string
  if (before !== stem) findStem(before)
  return stemDigits + text
}

/** Sixteen of them, for a whole number. */
export function paddedDigits(number: number): string {
  const tail = number % 1_000
  const before = (number - tail) / 1_000
  if (before !== stem) findStem(before)
  return paddedStem + (paddedTails[tail] as string)
}
