// What a step changes in sets, sorted sets, hashes and lists, kept back so that all of it for one key is one command. Whoever reads a key
// in the same step settles it first.

import { redis } from "./server.ts"

type Value = string | number

/** Of one set, sorted set or hash: what each member is to have in the end, false where it goes. */
interface Changes {
  readonly key: string
  readonly kind: Kind
  readonly members: Value[]
  readonly values: Record<Value, Value | boolean>
}

type Kind = "set" | "sorted" | "hash"

const adding: Readonly<Record<Kind, string>> = { set: "SADD", sorted: "ZADD", hash: "HSET" }
const removing: Readonly<Record<Kind, string>> = { set: "SREM", sorted: "ZREM", hash: "HDEL" }

/** How many values one command gets: they stand on Lua's stack. */
const mostValues = 4_000

export class Writes {
  private byKey: Record<string, Changes | undefined> = {}
  private keys: string[] = []
  private lists: Record<string, Value[] | undefined> = {}
  private listKeys: string[] = []
  private trims: Record<string, number | undefined> = {}
  private trimKeys: string[] = []

  addToSet(key: string, member: Value): void {
    put(this.byKey[key] ?? this.changes(key, "set"), member, true)
  }

  removeFromSet(key: string, member: Value): void {
    put(this.byKey[key] ?? this.changes(key, "set"), member, false)
  }

  addSorted(key: string, score: number, member: Value): void {
    put(this.changes(key, "sorted"), member, score)
  }

  removeSorted(key: string, member: Value): void {
    put(this.changes(key, "sorted"), member, false)
  }

  setField(key: string, field: Value, value: Value): void {
    put(this.changes(key, "hash"), field, value)
  }

  removeField(key: string, field: Value): void {
    put(this.changes(key, "hash"), field, false)
  }

  append(key: string, value: Value): void {
    const known = this.lists[key]
    if (known !== undefined) known.push(value)
    else {
      this.lists[key] = [value]
      this.listKeys.push(key)
    }
  }

  /** So many go from the beginning of the list, when the step ends. */
  trim(key: string, count: number): void {
    const known = this.trims[key]
    if (known === undefined) this.trimKeys.push(key)
    this.trims[key] = (known ?? 0) + count
  }

  /** All of it goes, at once: what comes to the list later in the step is not to be trimmed. */
  dropList(key: string): void {
    this.lists[key] = undefined
    if (this.trims[key] !== undefined) this.trims[key] = 0
    redis.call("DEL", key)
  }

  /** Before the key is read. */
  settle(key: string): void {
    const changes = this.byKey[key]
    if (changes !== undefined) {
      this.byKey[key] = undefined
      write(changes)
    }
    const list = this.lists[key]
    if (list !== undefined) {
      this.lists[key] = undefined
      inPieces("RPUSH", key, list)
    }
  }

  end(): void {
    for (const key of this.keys) this.settle(key)
    for (const key of this.listKeys) this.settle(key)
    for (const key of this.trimKeys) {
      const count = this.trims[key] ?? 0
      if (count > 0) redis.call("LTRIM", key, count, -1)
    }
    this.keys = []
    this.listKeys = []
    this.trimKeys = []
    this.trims = {}
  }

  private changes(key: string, kind: Kind): Changes {
    const known = this.byKey[key]
    if (known !== undefined) return known
    const made: Changes = { key, kind, members: [], values: {} }
    this.byKey[key] = made
    this.keys.push(key)
    return made
  }
}

function put(changes: Changes, member: Value, value: Value | boolean): void {
  if (changes.values[member] === undefined) changes.members.push(member)
  changes.values[member] = value
}

function write({ key, kind, members, values }: Changes): void {
  const added: Value[] = []
  const removed: Value[] = []
  let at = 0
  for (const member of members) {
    const value = values[member]
    if (value === false) removed.push(member)
    else if (kind === "set") added.push(member)
    else {
      added[at] = kind === "sorted" ? (value as Value) : member
      added[at + 1] = kind === "sorted" ? member : (value as Value)
      at += 2
    }
  }
  if (removed.length > 0) inPieces(removing[kind], key, removed)
  if (added.length > 0) inPieces(adding[kind], key, added)
}

/** Pairs stay together: the most is an even number. */
export function inPieces(command: string, key: string, values: readonly Value[]): void {
  if (values.length <= mostValues) redis.call(command, key, ...values)
  else for (let from = 0; from < values.length; from += mostValues) redis.call(command, key, ...values.slice(from, from + mostValues))
}
