// Follows files that grow by lines. What is not yet a whole line is left for later; if its writer was killed, for ever.

import { closeSync, openSync, readSync } from "node:fs"

const newline = 0x0a
/** Read from one file before the next has its turn. */
const mostBytes = 4 * 1_024 * 1_024

export class Tail {
  private readonly each: (line: string) => void
  private readonly files = new Map<string, { fd: number; rest: Buffer; isLast: boolean }>()
  private readonly buffer = Buffer.alloc(256 * 1_024)
  /** Lines that were torn by the end of their writer. */
  torn = 0

  constructor(each: (line: string) => void) {
    this.each = each
  }

  follow(path: string): void {
    this.files.set(path, { fd: openSync(path, "a+", 0o600), rest: Buffer.alloc(0), isLast: false })
  }

  /** Its writer is gone: it is read to its end once more, and then no longer. */
  end(path: string): void {
    const file = this.files.get(path)
    if (file) file.isLast = true
  }

  /** Answers whether there may be more at once. */
  read(): boolean {
    let more = false
    for (const [path, file] of this.files) {
      const isAtEnd = this.readFile(file)
      more ||= !isAtEnd
      if (!isAtEnd || !file.isLast) continue
      if (file.rest.length > 0) this.torn++
      closeSync(file.fd)
      this.files.delete(path)
    }
    return more
  }

  close(): void {
    for (const { fd } of this.files.values()) closeSync(fd)
    this.files.clear()
  }

  private readFile(file: { fd: number; rest: Buffer }): boolean {
    for (let read = 0; read < mostBytes; ) {
      const bytes = readSync(file.fd, this.buffer)
      if (bytes === 0) return true
      read += bytes
      file.rest = this.lines(Buffer.concat([file.rest, this.buffer.subarray(0, bytes)]))
    }
    return false
  }

  private lines(bytes: Buffer): Buffer {
    let from = 0
    for (let to = bytes.indexOf(newline, from); to >= 0; to = bytes.indexOf(newline, from)) {
      this.each(bytes.toString("utf8", from, to))
      from = to + 1
    }
    return Buffer.from(bytes.subarray(from))
  }
}
