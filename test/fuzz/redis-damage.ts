// Damage to one key of a Redis store: a value within a record, a member, a score, a name; something missing; a key of another type.

import fc from "fast-check"
import type { Client } from "../../src/stores/redis/driver.ts"
import { hostileTexts } from "./corpus.ts"
import { flippedBit } from "./damage.ts"
import { packAll, unpackAll } from "./message-pack.ts"

export interface KeyDamage {
  readonly key: number
  readonly element: number
  readonly how: "bit" | "packed" | "packed" | "packed" | "value" | "score" | "name" | "missing" | "gone" | "type"
  readonly pick: number
  readonly with: number
}

export const keyDamage: fc.Arbitrary<KeyDamage> = fc.record({
  key: fc.nat(100_000),
  element: fc.nat(100_000),
  how: fc.constantFrom("bit", "packed", "packed", "packed", "packed", "value", "score", "score", "name", "missing", "gone", "type"),
  pick: fc.nat(),
  with: fc.nat(1_000),
})

/** For people to read, and to tell whose it was. */
export interface DamagedKey {
  /** Without the prefix of the namespace. */
  readonly key: string
  /** Field or member. */
  readonly element: string
  readonly what: string
}

/** Most of what there is to damage stands in these. */
const often = ["tasks", "tasks", "tasks", "tasks", "gates", "gates", "limits", "lanes", "flows", "meta", "jobs", "schedules", "calls"]
const numbers = ["0", "1", "-1", "1e300", "-1e300", "inf", "-inf", "nan", "9007199254740993", "253402300800000", "0.5", "0x10", "7e15"]
const nodes: readonly unknown[] = [
  ...[null, true, false, "", "x", 0, 1, -1, 0.5, 1e300, -1e300, 2 ** 53, 8.64e15, Number.NaN, Number.POSITIVE_INFINITY],
  ...[[], new Map(), [null], [[]], new Map([["a", 1]]), "__index", "\u0000"],
]

/** Null where there is nothing of that kind to damage. */
export async function damageKey(client: Client, base: string, damage: KeyDamage): Promise<DamagedKey | null> {
  const found = ((await client.send(["KEYS", `${base.replace(/[{}]/g, "?")}*`])) as Buffer[]).map(String).sort()
  const names = [...found, ...often.map((name) => base + name).filter((name) => found.includes(name))]
  const key = names[damage.key % names.length]
  if (key === undefined) return null
  const type = String(await client.send(["TYPE", key]))
  const told = (element: Buffer | string, what: string): DamagedKey => ({ key: key.slice(base.length), element: String(element), what })
  if (damage.how === "gone") {
    await client.send(["DEL", key])
    return told("", "the key is gone")
  }
  if (damage.how === "type") {
    await client.send(["DEL", key])
    await client.send(type === "hash" ? ["RPUSH", key, "1", "2"] : ["HSET", key, "1", "2"])
    return told("", `a ${type} became something else`)
  }
  const damaged = await damageElement(client, key, type, damage)
  return damaged && told(...damaged)
}

type Told = readonly [element: Buffer | string, what: string]

async function damageElement(client: Client, key: string, type: string, damage: KeyDamage): Promise<Told | null> {
  const { how, element, pick } = damage
  const number = numbers[pick % numbers.length] ?? "0"
  const send = (...args: (string | Buffer)[]) => client.send(args)
  if (type === "hash") {
    const fields = (await send("HKEYS", key)) as Buffer[]
    const field = fields[element % fields.length] as Buffer
    const value = (await send("HGET", key, field)) as Buffer
    if (how === "missing" || how === "name") await send("HDEL", key, field)
    if (how === "missing") return [field, "is missing"]
    const to = how === "name" ? value : damagedValue(value, damage)
    await send("HSET", key, how === "name" ? damagedName(field, damage) : field, to)
    return [field, how === "name" ? "has another name" : `${value.toString("hex")} became ${to.toString("hex")}`]
  }
  if (type === "zset" || type === "set") {
    const isSorted = type === "zset"
    const members = (await (isSorted ? send("ZRANGE", key, "0", "-1") : send("SMEMBERS", key))) as Buffer[]
    const member = members[element % members.length] as Buffer
    const score = isSorted ? String(await send("ZSCORE", key, member)) : ""
    if (how === "score" && isSorted) {
      await send("ZADD", key, number === "nan" ? "7" : number, member)
      return [member, `its score ${score} became ${number}`]
    }
    await send(isSorted ? "ZREM" : "SREM", key, member)
    if (how === "missing") return [member, "is missing"]
    const to = damagedName(member, damage)
    await send(...(isSorted ? ["ZADD", key, score, to] : ["SADD", key, to]))
    return [member, `became ${to.toString("hex")}`]
  }
  if (type !== "list") return null
  const values = (await send("LRANGE", key, "0", "-1")) as Buffer[]
  const at = element % values.length
  const value = values[at] as Buffer
  if (how === "missing") {
    await send("LREM", key, "1", value)
    return [`${at}`, "is missing"]
  }
  const to = how === "score" ? Buffer.from(number) : damagedValue(value, damage)
  await send("LSET", key, `${at}`, to)
  return [`${at}`, `${value.toString("hex")} became ${to.toString("hex")}`]
}

function damagedName(name: Buffer, { how, pick }: KeyDamage): Buffer {
  if (how === "bit") return flippedBit(name, pick)
  return Buffer.from([...numbers, ...hostileTexts][pick % (numbers.length + hostileTexts.length)] ?? "")
}

function damagedValue(value: Buffer, { how, pick, with: other }: KeyDamage): Buffer {
  if (how === "value") return Buffer.from([...numbers, ...hostileTexts][pick % (numbers.length + hostileTexts.length)] ?? "")
  return (how === "packed" ? damagedRecord(value, pick, other) : null) ?? flippedBit(value, pick)
}

/** One node of it replaced, or removed, or renamed. Null where it is no record. */
function damagedRecord(value: Buffer, pick: number, other: number): Buffer | null {
  const root = unpackAll(value)
  if (root === null || (root.length === 1 && typeof root[0] !== "object")) return null
  const places = placesIn(root)
  const place = places[pick % places.length]
  if (!place) return null
  place(nodes[other % nodes.length], other % 4 === 0)
  return packAll(root)
}

/** Puts something else there, or takes away what is there. */
type Place = (by: unknown, isRemoved: boolean) => void

function placesIn(node: unknown): Place[] {
  if (Array.isArray(node))
    return node.flatMap((one, i) => [(by, isRemoved) => void (isRemoved ? node.splice(i, 1) : node.splice(i, 1, by)), ...placesIn(one)])
  if (!(node instanceof Map)) return []
  return [...node].flatMap(([name, one]): Place[] => [
    (by, isRemoved) => void (isRemoved ? node.delete(name) : node.set(name, by)),
    ...placesIn(one),
  ])
}
