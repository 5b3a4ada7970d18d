// A record of the log as bytes: JSON lines, the first about the record, each further one a request; compressed above a size.

import { promisify } from "node:util"
import { gunzip, gunzipSync, gzip, gzipSync } from "node:zlib"

/**
 * Grows when a record means something else than before, and when a step computes anything else from a request: an older Sluice then refuses to
 * go on. docs/internals/s3.md, "Layouts".
 */
export const layoutVersion = 1

export interface LoggedRequest {
  readonly id: string
  readonly op: string
  /** How long it had waited in its process when this was written. */
  readonly waitedMs: number
  readonly request: unknown
}

export interface RecordHead {
  readonly layout: number
  readonly number: number
  /** One opened store, and which of its writes this is. */
  readonly writer: string
  readonly attempt: number
  /** When every request of it happens, and by how much that may be behind the true time. */
  readonly atMs: number
  readonly errorMs: number
  /** What the clock showed, while that is behind `atMs`; absent while it leads. */
  readonly behindAtMs?: number
  /** Its writer goes on: a later number is kept for it (see crowd.ts). Absent where nobody else writes. */
  readonly again?: true
  /** Whose number a newcomer has taken. */
  readonly over?: string
  /** Whose number it was, where that writer stays silent. */
  readonly without?: string
}

export interface LogRecord {
  readonly head: RecordHead
  readonly requests: readonly LoggedRequest[]
  /** Before it was compressed. */
  readonly bytes: number
}

const compressedAbove = 8_192
/** Records are small and written while somebody waits: the quickest is the best. */
const level = 1
/** Up to here it is done in less time than another thread takes to hear of it. */
const atOnceBytes = { plain: 128 * 1_024, compressed: 16 * 1_024 }
const compress = promisify(gzip)
const expand = promisify(gunzip)

/** `lines` are requests as JSON text. */
export async function packRecord(head: RecordHead, lines: readonly string[]): Promise<Uint8Array> {
  return packLines([JSON.stringify(head), ...lines].join("\n"))
}

export async function packLines(text: string): Promise<Uint8Array> {
  const plain = Buffer.from(text, "utf8")
  if (plain.length <= compressedAbove) return plain
  return plain.length <= atOnceBytes.plain ? gzipSync(plain, { level }) : compress(plain, { level })
}

export async function unpackLines(bytes: Uint8Array): Promise<Buffer> {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  if (!isCompressed) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return bytes.length <= atOnceBytes.compressed ? gunzipSync(bytes) : expand(bytes)
}

/** Throws where it is none. */
export async function unpackRecord(bytes: Uint8Array): Promise<LogRecord> {
  const text = (await unpackLines(bytes)).toString("utf8")
  const [first = "", ...lines] = text.split("\n")
  const head: unknown = JSON.parse(first)
  if (!isHead(head)) throw new Error("its first line says nothing of a record")
  const record = recordOf(head, lines)
  const bad = record.requests.findIndex((request) => !isRequest(request))
  if (bad !== -1) throw new Error(`line ${bad + 2} is no request`)
  return record
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const isTextOrNone = (value: unknown) => value === undefined || typeof value === "string"

function isHead(value: unknown): value is RecordHead {
  const { layout, number, writer, attempt, atMs, errorMs, behindAtMs, over, without } = (value ?? {}) as Record<keyof RecordHead, unknown>
  const areCounts = [layout, number, attempt, atMs, errorMs, behindAtMs ?? 0].every(isCount)
  return areCounts && typeof writer === "string" && isTextOrNone(over) && isTextOrNone(without)
}

function isRequest(value: unknown): boolean {
  const { id, op, waitedMs, request } = (value ?? {}) as Record<keyof LoggedRequest, unknown>
  return typeof id === "string" && typeof op === "string" && Number.isFinite(waitedMs) && typeof request === "object" && request !== null
}

export function recordOf(head: RecordHead, lines: readonly string[]): LogRecord {
  const requests = lines.map((line) => JSON.parse(line) as LoggedRequest)
  return { head, requests, bytes: lines.reduce((sum, line) => sum + line.length + 1, 0) }
}
