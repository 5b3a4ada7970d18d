// The record is read while it is written, by a reader that may come at any moment, and its writer may be killed in the middle.

import assert from "node:assert/strict"
import { appendFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { Tail } from "./tail.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-tail-"))
after(() => rmSync(folder, { recursive: true, force: true }))

function followed(name: string) {
  const path = join(folder, name)
  const lines: string[] = []
  const tail = new Tail((line) => lines.push(line))
  tail.follow(path)
  return { path, lines, tail, write: (text: string | Buffer) => appendFileSync(path, text) }
}

describe("the tail of a record", () => {
  it("gives each line once, and a line that is not whole only when it is", () => {
    const { lines, tail, write } = followed("whole")
    write("one\ntw")
    tail.read()
    assert.deepEqual(lines, ["one"])
    write("o\nthree\n")
    tail.read()
    tail.read()
    assert.deepEqual(lines, ["one", "two", "three"])
    tail.close()
  })

  it("does not tear a character that was written in two pieces", () => {
    const { lines, tail, write } = followed("bytes")
    const bytes = Buffer.from("héé\n")
    write(bytes.subarray(0, 2))
    tail.read()
    write(bytes.subarray(2))
    tail.read()
    assert.deepEqual(lines, ["héé"])
    tail.close()
  })

  it("leaves out the line that a kill has torn", () => {
    const { path, lines, tail, write } = followed("torn")
    write('{"op":"run"}\n{"op":"se')
    tail.end(path)
    tail.read()
    assert.deepEqual(lines, ['{"op":"run"}'])
    assert.equal(tail.torn, 1)
    tail.read()
    tail.close()
  })

  it("reads on where there is more than one look takes", () => {
    const { path, lines, tail, write } = followed("long")
    const line = `${"x".repeat(999)}\n`
    write(line.repeat(6_000))
    tail.end(path)
    assert.equal(tail.read(), true)
    assert.equal(tail.read(), false)
    assert.equal(lines.length, 6_000)
    tail.close()
  })
})
