// MessagePack as the server's Lua writes it, read and written again: so that one value within a record can be damaged and the rest stays
// readable. Apart from what the client has, which reads rows only.

/** All values that stand one behind the other; null where the bytes are none. Texts are bytes: nobody says that they are UTF-8. */
export function unpackAll(bytes: Buffer): unknown[] | null {
  const reader = new Reader(bytes)
  const values: unknown[] = []
  try {
    while (reader.at < bytes.length) values.push(reader.next())
  } catch {
    return null
  }
  return values
}

export function packAll(values: readonly unknown[]): Buffer {
  return Buffer.concat(values.map(pack))
}

class Reader {
  at = 0
  private readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  next(): unknown {
    const head = this.bytes.readUInt8(this.at++)
    if (head < 0x80) return head
    if (head < 0x90) return this.map(head & 15)
    if (head < 0xa0) return this.list(head & 15)
    if (head < 0xc0) return this.text(head & 31)
    if (head >= 0xe0) return head - 0x100
    const { bytes, at } = this
    switch (head) {
      case 0xc0:
        return null
      case 0xc2:
        return false
      case 0xc3:
        return true
      case 0xca:
        return this.skip(4, bytes.readFloatBE(at))
      case 0xcb:
        return this.skip(8, bytes.readDoubleBE(at))
      case 0xcf:
        return this.skip(8, Number(bytes.readBigUInt64BE(at)))
      case 0xd3:
        return this.skip(8, Number(bytes.readBigInt64BE(at)))
    }
    if (head >= 0xd0 && head <= 0xd2) return this.skip(1 << (head - 0xd0), bytes.readIntBE(at, 1 << (head - 0xd0)))
    if (head >= 0xcc && head <= 0xce) return this.length(head - 0xcc)
    if (head >= 0xd9 && head <= 0xdb) return this.text(this.length(head - 0xd9))
    if (head === 0xdc || head === 0xdd) return this.list(this.length(head - 0xdb))
    if (head === 0xde || head === 0xdf) return this.map(this.length(head - 0xdd))
    throw new RangeError(`0x${head.toString(16)}`)
  }

  /** A whole number of 1, 2 or 4 bytes. */
  private length(power: number): number {
    return this.skip(1 << power, this.bytes.readUIntBE(this.at, 1 << power))
  }

  private skip(count: number, value: number): number {
    this.at += count
    return value
  }

  private text(length: number): Buffer {
    if (this.at + length > this.bytes.length) throw new RangeError(`${length} bytes`)
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }

  private list(length: number): unknown[] {
    return Array.from({ length }, () => this.next())
  }

  private map(length: number): Map<unknown, unknown> {
    const found = new Map<unknown, unknown>()
    for (let i = 0; i < length; i++) found.set(this.next(), this.next())
    return found
  }
}

/** As short as it can be, which is how the server writes it. */
function pack(value: unknown): Buffer {
  if (value === null || value === undefined) return Buffer.from([0xc0])
  if (typeof value === "boolean") return Buffer.from([value ? 0xc3 : 0xc2])
  if (typeof value === "number") return packNumber(value)
  if (typeof value === "string") return pack(Buffer.from(value))
  if (Buffer.isBuffer(value)) return Buffer.concat([value.length < 32 ? one(0xa0 + value.length) : sized(0xd9, 0, value.length), value])
  if (Array.isArray(value))
    return Buffer.concat([value.length < 16 ? one(0x90 + value.length) : sized(0xdc, 1, value.length), ...value.map(pack)])
  const entries = [...(value as Map<unknown, unknown>)]
  const head = entries.length < 16 ? one(0x80 + entries.length) : sized(0xde, 1, entries.length)
  return Buffer.concat([head, ...entries.flatMap(([name, held]) => [pack(name), pack(held)])])
}

function packNumber(value: number): Buffer {
  const bytes = Buffer.alloc(9)
  if (!Number.isSafeInteger(value)) {
    bytes[0] = 0xcb
    bytes.writeDoubleBE(value, 1)
    return bytes
  }
  if (value >= 0) return value < 0x80 ? one(value) : value < 2 ** 32 ? sized(0xcc, 0, value) : long(0xcf, value)
  if (value >= -32) return one(value + 0x100)
  const power = value >= -128 ? 0 : value >= -32_768 ? 1 : 2
  if (value < -(2 ** 31)) return long(0xd3, value)
  bytes[0] = 0xd0 + power
  bytes.writeIntBE(value, 1, 1 << power)
  return bytes.subarray(0, 1 + (1 << power))
}

function one(byte: number): Buffer {
  return Buffer.from([byte])
}

function long(head: number, value: number): Buffer {
  const bytes = Buffer.alloc(9)
  bytes[0] = head
  bytes.writeBigInt64BE(BigInt(value), 1)
  return bytes
}

/** A number of 1, 2 or 4 bytes; the heads of these follow each other. */
function sized(head: number, least: number, length: number): Buffer {
  const power = Math.max(least, length < 0x100 ? 0 : length < 0x10000 ? 1 : 2)
  const bytes = Buffer.alloc(1 + (1 << power))
  bytes[0] = head + power - least
  bytes.writeUIntBE(length, 1, 1 << power)
  return bytes
}
