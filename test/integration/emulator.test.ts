// The emulator that limits are measured against is held to the definition of each way of counting, and to nothing of Sluice.

import { deepEqual, equal } from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"

const folder = "bench/limits/emulator"

describe("the emulator of providers", () => {
  for (const check of [`${folder}/emulator.check.mjs`, "bench/limits/oracle.check.mjs"]) {
    it(`passes ${check}`, { timeout: 60_000 }, () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [check, "7"], { encoding: "utf8", timeout: 55_000 })
      equal(status, 0, `${stdout}${stderr}`)
    })
  }

  it("imports nothing of what it judges", () => {
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".mjs"))
    const strangers = files.flatMap((file) => {
      const imported = [...readFileSync(join(folder, file), "utf8").matchAll(/from "([^"]+)"/g)].map(([, from]) => from ?? "")
      return imported.filter((from) => /dist|src|sluice/.test(from)).map((from) => `${file}: ${from}`)
    })
    deepEqual(strangers, [])
  })
})
