// The examples with other clients run against an emulated provider, and the guide shows them as they are.

import { equal, match, ok } from "node:assert/strict"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { describe, it } from "node:test"

const clients = { undici: 40, axios: 30, openai: 40, anthropic: 40 } as const

function run(file: string) {
  const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data))
  return new Promise<{ exitCode: number | null; output: string }>((done) => child.on("close", (exitCode) => done({ exitCode, output })))
}

describe("the examples with other clients", () => {
  for (const [name, count] of Object.entries(clients)) {
    it(`${name}: every task completes, and it ends with 0`, { timeout: 60_000 }, async () => {
      const { exitCode, output } = await run(`examples/clients/${name}.mjs`)
      equal(exitCode, 0, output)
      match(output.trimEnd().split("\n").at(-1) ?? "", new RegExp(`^${count} tasks completed, \\d+ refusals$`), output)
    })
  }

  it("are what the guide shows", () => {
    const guide = readFileSync("docs/guides/other-clients.md", "utf8")
    const recipes = [...guide.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code ?? "")
    equal(recipes.length, Object.keys(clients).length)
    for (const [i, name] of Object.keys(clients).entries())
      ok(
        readFileSync(`examples/clients/${name}.mjs`, "utf8").includes(recipes[i] ?? "?"),
        `expected examples/clients/${name}.mjs to have its recipe`,
      )
  })
})
