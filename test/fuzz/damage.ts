// Damage to one stored value: a flipped bit, a number that nobody wrote, JSON that lost its shape. Done through a connection of
// its own before the store opens the file; a file is never opened beside SQLite.

import fc from "fast-check"
import { type Database, openDatabase } from "../../src/stores/sqlite/driver.ts"
import { hostileTexts } from "./corpus.ts"

export interface Damage {
  readonly table: number
  readonly column: number
  readonly row: number
  readonly how: "bit" | "number" | "json" | "text"
  /** Which bit, which number, which node, which text. */
  readonly pick: number
  /** What stands in place of a node. */
  readonly with: number
}

export const damage: fc.Arbitrary<Damage> = fc.record({
  table: fc.nat(1_000),
  column: fc.nat(1_000),
  row: fc.nat(1_000),
  how: fc.constantFrom("bit", "bit", "number", "json", "json", "text"),
  pick: fc.nat(),
  with: fc.nat(1_000),
})

/** What was damaged: for people to read, and whose row it was. */
export interface Damaged {
  readonly table: string
  readonly column: string
  /** The key of the row, as SQL writes it. */
  readonly key: string
  readonly from: string
  readonly to: string
}

/** Most of what there is to damage stands in these. */
const often = ["tasks", "tasks", "tasks", "tasks", "tasks", "gates", "gates", "limits", "lanes", "flows", "schedules"]
const numbers = [0n, 1n, -1n, 2n ** 53n, 2n ** 62n, 2n ** 63n - 1n, -(2n ** 63n), 8_640_000_000_000_001n, 253_402_300_800_000n]
const nodes: readonly unknown[] = [null, true, false, "", "x", 0, -1, 0.5, 1e300, 2 ** 53, [], {}, [null], { a: 1 }, "__proto__"]

/** Null where SQLite itself refuses the value, as it does a second row with the same key. */
export async function damageFile(path: string, { table, column, row, how, pick, with: other }: Damage): Promise<Damaged | null> {
  const database = await openDatabase(path)
  try {
    const tables = [...texts(database, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"), ...often]
    const name = tables[table % tables.length] ?? ""
    const columns = texts(database, `SELECT name FROM pragma_table_info('${name}') ORDER BY cid`)
    const keys = texts(database, `SELECT name FROM pragma_table_info('${name}') WHERE pk > 0 ORDER BY pk`)
    const key = keys.length > 0 ? keys.join(", ") : "rowid"
    const [[count = 0] = []] = database.prepare(`SELECT count(*) FROM ${name}`).rows()
    if (count === 0) return null
    const chosen = columns[column % columns.length] ?? ""
    const where = `(${key}) IN (SELECT ${key} FROM ${name} ORDER BY ${key} LIMIT 1 OFFSET ${row % Number(count)})`
    const [[type, hex, whose] = []] = database
      .prepare(`SELECT typeof(${chosen}), hex(${chosen}), hex(${keys.join(" || ' ' || ") || "rowid"}) FROM ${name} WHERE ${where}`)
      .rows()
    const stored = Buffer.from(String(hex), "hex")
    const to =
      type === "text" ? damagedText(stored, how, pick, other) : damagedNumber(type === "null" ? null : stored.toString(), how, pick)
    const damaged = {
      table: name,
      column: chosen,
      key: Buffer.from(String(whose), "hex").toString(),
      from: stored.toString().slice(0, 2_000),
      to,
    }
    try {
      database.exec(`UPDATE ${name} SET ${chosen} = ${to} WHERE ${where}`)
      return damaged
    } catch {
      return null
    }
  } finally {
    database.close()
  }
}

function texts(database: Database, sql: string): string[] {
  return database
    .prepare(sql)
    .rows()
    .map(([name]) => String(name))
}

function damagedNumber(stored: string | null, how: Damage["how"], pick: number): string {
  if (how === "text") return "NULL"
  if (stored === null || how === "number") return String(numbers[pick % numbers.length])
  return String(BigInt.asIntN(64, BigInt(stored) ^ (1n << BigInt(pick % 64))))
}

function damagedText(stored: Buffer, how: Damage["how"], pick: number, other: number): string {
  if (how === "number") return "NULL"
  if (how === "text") return literal(Buffer.from(hostileTexts[pick % hostileTexts.length] ?? ""))
  return literal((how === "json" ? damagedJson(stored.toString(), pick, other) : null) ?? flippedBit(stored, pick))
}

export function flippedBit(bytes: Buffer, pick: number): Buffer {
  const copy = Buffer.from(bytes)
  const at = pick % Math.max(1, copy.length * 8)
  if (copy.length > 0) copy[at >> 3] = (copy[at >> 3] ?? 0) ^ (1 << (at & 7))
  return copy
}

/** Any bytes at all, as text. */
function literal(bytes: Buffer): string {
  return `CAST(x'${bytes.toString("hex")}' AS TEXT)`
}

/** One node of it replaced, removed or renamed. A history is JSON without the brackets around it. */
export function damagedJson(text: string, pick: number, other: number): Buffer | null {
  const [open, close] = text.startsWith('{"atMs"') ? ["[", "]"] : ["", ""]
  const root = parsed(open + text + close)
  if (root === undefined) return null
  const holder = { root }
  const places = placesIn(holder)
  const place = places[pick % places.length]
  if (!place) return null
  const by = nodes[other % nodes.length]
  if (other % 3 > 0 || place.key === "root") place.of[place.key] = by
  else if (Array.isArray(place.of)) place.of.splice(Number(place.key), 1)
  else {
    if (other % 2 === 0) place.of[`${place.key}x`] = place.of[place.key]
    delete place.of[place.key]
  }
  const written = JSON.stringify(holder.root) ?? "null"
  return Buffer.from(open === "" ? written : written.replace(/^\[|\]$/g, ""))
}

interface Place {
  readonly of: Record<string, unknown>
  readonly key: string
}

function placesIn(node: unknown): Place[] {
  if (typeof node !== "object" || node === null) return []
  return Object.entries(node).flatMap(([key, value]) => [{ of: node as Record<string, unknown>, key }, ...placesIn(value)])
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
