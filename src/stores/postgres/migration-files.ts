// The numbered files of migrations/: `001_tasks.sql`, ... Once released, a file is never changed: its checksum is kept beside what it made.

import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"

export interface Migration {
  readonly number: number
  readonly name: string
  /** SQL, several statements; `$s` stands for the schema. */
  readonly text: string
  readonly checksum: string
}

const ownFolder = new URL("./migrations/", import.meta.url)

/** In the order of their numbers. */
export function readMigrations(folder = ownFolder): readonly Migration[] {
  const found = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => {
      const [, digits] = /^(\d{3})_[a-z0-9_]+\.sql$/.exec(name) ?? []
      if (digits === undefined) throw new Error(`migrations: expected names such as 001_tasks.sql, got ${name}`)
      // Line endings are the machine's.
      const text = readFileSync(new URL(name, folder), "utf8").replaceAll("\r\n", "\n")
      return { number: Number(digits), name, text, checksum: createHash("sha256").update(text).digest("hex") }
    })
  const twice = found.find(({ number }, i) => found[i - 1]?.number === number)
  if (twice) throw new Error(`migrations: expected each number once, got ${twice.number} twice`)
  return found
}
