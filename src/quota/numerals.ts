// Numbers as they stand in headers and bodies: plain decimals only. No sign, no exponent, no hexadecimal, and no more digits
// than a number keeps exactly.

import { cappedCount, wholeMs } from "./caps.ts"

const decimal = /^\d{1,15}(?:\.\d{1,18})?$/

export function readDecimal(text: string | null): number | null {
  return text !== null && decimal.test(text) ? Number(text) : null
}

/** "5000", "598.0", and what older drafts and doubled headers make of it: "100, 100;w=60". */
export function readCount(text: string | null): number | null {
  return cappedCount(readDecimal(text === null ? null : (text.split(/[,;]/, 1)[0] ?? "").trim()))
}

export function readSeconds(text: string | null): number | null {
  const seconds = readDecimal(text)
  return seconds === null ? null : wholeMs(seconds * 1_000)
}

/** A number of a JSON body. */
export function numberIn(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 && value < 1e15 ? value : null
}
