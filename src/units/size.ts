// Sizes: "256KiB", "4MiB", or a whole number of bytes.

import { SluiceError, shown } from "../errors/index.ts"

export type Size = string | number

const unitBytes = { B: 1, KiB: 1_024, MiB: 1_048_576, GiB: 1_073_741_824 } as const

export function parseSize(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value
  const match = typeof value === "string" ? /^(\d+)\s*(B|KiB|MiB|GiB)$/.exec(value.trim()) : null
  const bytes = match ? Number(match[1]) * unitBytes[match[2] as keyof typeof unitBytes] : 0
  if (bytes > 0 && Number.isSafeInteger(bytes)) return bytes
  throw new SluiceError("invalid_size", `${name}: expected a size such as "256KiB", "4MiB" or a number of bytes, got ${shown(value)}`)
}

export function formatSize(bytes: number): string {
  if (bytes >= unitBytes.GiB) return `${(bytes / unitBytes.GiB).toFixed(1)} GiB`
  if (bytes >= unitBytes.MiB) return `${(bytes / unitBytes.MiB).toFixed(1)} MiB`
  if (bytes >= unitBytes.KiB) return `${(bytes / unitBytes.KiB).toFixed(1)} KiB`
  return `${bytes} B`
}
