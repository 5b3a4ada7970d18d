// As much of MessagePack as the server's Lua writes: whole numbers and fractions, texts, flags, arrays. Maps do not occur in rows.

const longestShort = 12

export class Packed {
  private readonly bytes: Buffer
  private at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** The next value. Throws where the bytes end within it or mean something else. */
  next(): unknown {
    const head = this.byte()
    if (head < 0x80) return head
    if (head >= 0xe0) return head - 0x100
    if (head >= 0xa0 && head < 0xc0) return this.text(head - 0xa0)
    if (head >= 0x90 && head < 0xa0) return this.array(head - 0x90)
    switch (head) {
      case 0xc0:
        return null
      case 0xc2:
        return false
      case 0xc3:
        return true
      case 0xca:
        return this.skip(4, this.bytes.readFloatBE(this.at))
      case 0xcb:
        return this.skip(8, this.bytes.readDoubleBE(this.at))
      case 0xcc:
        return this.byte()
      case 0xcd:
        return this.unsigned(2)
      case 0xce:
        return this.unsigned(4)
      case 0xcf:
        return this.unsigned(8)
      case 0xd0:
        return this.skip(1, this.bytes.readInt8(this.at))
      case 0xd1:
        return this.skip(2, this.bytes.readInt16BE(this.at))
      case 0xd2:
        return this.skip(4, this.bytes.readInt32BE(this.at))
      case 0xd3:
        return this.skip(8, Number(this.bytes.readBigInt64BE(this.at)))
      case 0xd9:
        return this.text(this.byte())
      case 0xda:
        return this.text(this.unsigned(2))
      case 0xdb:
        return this.text(this.unsigned(4))
      case 0xdc:
        return this.array(this.unsigned(2))
      case 0xdd:
        return this.array(this.unsigned(4))
      default:
        throw new RangeError(`0x${head.toString(16)} at ${this.at - 1}`)
    }
  }

  private byte(): number {
    const byte = this.bytes[this.at]
    if (byte === undefined) throw new RangeError(`no byte at ${this.at}`)
    this.at++
    return byte
  }

  /** Above 2^53 it is the nearest that there is, like any number. */
  private unsigned(size: number): number {
    let value = 0
    for (let i = 0; i < size; i++) value = value * 0x100 + this.byte()
    return value
  }

  private skip(count: number, value: number): number {
    this.at += count
    return value
  }

  private text(length: number): string {
    const end = this.at + length
    if (end > this.bytes.length) throw new RangeError(`${length} bytes of text at ${this.at}`)
    const text = this.short(end) ?? this.bytes.toString("utf8", this.at, end)
    this.at = end
    return text
  }

  /** Null where it is long, or not plain letters. To ask the platform for a few letters costs more than to put them together. */
  private short(end: number): string | null {
    if (end - this.at > longestShort) return null
    let text = ""
    for (let i = this.at; i < end; i++) {
      const byte = this.bytes[i] as number
      if (byte >= 0x80) return null
      text += String.fromCharCode(byte)
    }
    return text
  }

  private array(length: number): unknown[] {
    const values: unknown[] = []
    for (let i = 0; i < length; i++) values.push(this.next())
    return values
  }
}
