// Damage to one stored value of a Postgres store, as far as Postgres lets a value stand there: a number that nobody wrote, a text that is
// another, a document that lost its shape, nothing at all; or a row that is missing.

import fc from "fast-check"
import type { PostgresAdmin } from "../engines/postgres-admin.ts"
import { hostileTexts } from "./corpus.ts"
import { damagedJson } from "./damage.ts"

export interface RowDamage {
  readonly table: number
  readonly column: number
  readonly row: number
  readonly how: "bit" | "other" | "null" | "missing"
  /** Which bit, which number, which node, which text. */
  readonly pick: number
  /** What stands in place of a node. */
  readonly with: number
}

export const rowDamage: fc.Arbitrary<RowDamage> = fc.record({
  table: fc.nat(1_000),
  column: fc.nat(1_000),
  row: fc.nat(1_000),
  how: fc.constantFrom("bit", "bit", "other", "other", "other", "null", "missing"),
  pick: fc.nat(),
  with: fc.nat(1_000),
})

/** For people to read, and to tell whose it was. */
export interface DamagedRow {
  readonly table: string
  readonly column: string
  /** Of a task: its number. */
  readonly seq: string | null
  readonly from: string
  readonly to: string
}

/** Most of what there is to damage stands in these. */
const often = [
  "tasks",
  "tasks",
  "tasks",
  "tasks",
  "tasks",
  "gates",
  "gates",
  "limits",
  "lanes",
  "flows",
  "dues",
  "demand",
  "jobs",
  "schedules",
]
const numbers = [
  "0",
  "1",
  "-1",
  "7",
  "9007199254740993",
  "4611686018427387904",
  "9223372036854775807",
  "8640000000000001",
  "253402300800000",
]
const tablesOf = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns, array_agg(format_type(a.atttypid, null) order by a.attnum) as types
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'sluice'::regnamespace and c.relkind = 'r' and a.attnum > 0 and a.attgenerated = '' and c.relname <> 'migrations'
  group by c.relname order by c.relname`

/** Null where there is nothing of that kind to damage, or Postgres refuses the value. */
export async function damageRow(
  admin: PostgresAdmin,
  { table, column, row, how, pick, with: other }: RowDamage,
): Promise<DamagedRow | null> {
  const tables = (await admin.rows(tablesOf)) as { name: string; columns: string[]; types: string[] }[]
  const names = [...tables.map(({ name }) => name), ...often]
  const chosen = tables.find(({ name }) => name === names[table % names.length])
  if (!chosen) return null
  const { name, columns, types } = chosen
  const at = column % columns.length
  const field = columns[at] as string
  const rows = await admin.rows(
    `select ctid::text, "${field}"::text as value, ${name === "tasks" ? "seq::text" : "null"} as seq from sluice.${name} order by ctid`,
  )
  if (rows.length === 0) return null
  const { ctid, value, seq } = rows[row % rows.length] as { ctid: string; value: string | null; seq: string | null }
  const told = { table: name, column: field, seq, from: String(value).slice(0, 2_000) }
  try {
    if (how === "missing") {
      await admin.rows(`delete from sluice.${name} where ctid = $1::tid`, ctid)
      return { ...told, column: "", to: "no row" }
    }
    const to = how === "null" ? null : damagedValue(types[at] as string, value, how, pick, other)
    await admin.rows(`update sluice.${name} set "${field}" = $2::text::${types[at]} where ctid = $1::tid`, ctid, to)
    return { ...told, to: String(to).slice(0, 2_000) }
  } catch {
    return null
  }
}

function damagedValue(type: string, value: string | null, how: "bit" | "other", pick: number, other: number): string {
  const text = hostileTexts[pick % hostileTexts.length] ?? ""
  if (type === "boolean") return value === "true" ? "false" : "true"
  if (type === "json" || type === "jsonb") return damagedJson(value ?? "null", pick, other)?.toString() ?? "null"
  if (type.endsWith("[]")) return pick % 2 === 0 ? "{}" : '{"x","y"}'
  if (type === "text") {
    if (how === "other") return text
    return damagedJson(value ?? "", pick, other)?.toString() ?? `${value ?? ""}x`
  }
  const number = numbers[pick % numbers.length] ?? "0"
  if (how === "other" || value === null || type === "double precision") return number
  return String(BigInt.asIntN(64, BigInt(value) ^ (1n << BigInt(pick % 63))))
}
