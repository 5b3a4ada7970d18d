// As much of MessagePack as the server's Lua writes: whole numbers and fractions, texts, flags, arrays. Maps do not occur in rows.

export class Packed {
  private readonly bytes: Buffer
  private at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** The next value. Throws where the bytes end within it or mean something else. */
  next(): unknown {
    const head = this.bytes.readUInt8(this.at++)
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
        return this.skip(1, this.bytes.readUInt8(this.at))
      case 0xcd:
        return this.skip(2, this.bytes.readUInt16BE(this.at))
      case 0xce:
        return this.skip(4, this.bytes.readUInt32BE(this.at))
      case 0xcf:
        return this.skip(8, Number(this.bytes.readBigUInt64BE(this.at)))
      case 0xd0:
        return this.skip(1, this.bytes.readInt8(this.at))
      case 0xd1:
        return this.skip(2, this.bytes.readInt16BE(this.at))
      case 0xd2:
        return this.skip(4, this.bytes.readInt32BE(this.at))
      case 0xd3:
        return this.skip(8, Number(this.bytes.readBigInt64BE(this.at)))
      case 0xd9:
        return this.text(this.skip(1, this.bytes.readUInt8(this.at)))
      case 0xda:
        return this.text(this.skip(2, this.bytes.readUInt16BE(this.at)))
      case 0xdb:
        return this.text(this.skip(4, this.bytes.readUInt32BE(this.at)))
      case 0xdc:
        return this.array(this.skip(2, this.bytes.readUInt16BE(this.at)))
      case 0xdd:
        return this.array(this.skip(4, this.bytes.readUInt32BE(this.at)))
      default:
        throw new RangeError(`0x${head.toString(16)} at ${this.at - 1}`)
    }
  }

  private skip(count: number, value: number): number {
    this.at += count
    return value
  }

  private text(length: number): string {
    const end = this.at + length
    if (end > this.bytes.length) throw new RangeError(`${length} bytes of text at ${this.at}`)
    const text = this.bytes.toString("utf8", this.at, end)
    this.at = end
    return text
  }

  private array(length: number): unknown[] {
    const values: unknown[] = []
    for (let i = 0; i < length; i++) values.push(this.next())
    return values
  }
}
