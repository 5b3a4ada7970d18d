// Without the client library, which only those install who use Postgres, the error says what to install.

import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { it } from "node:test"
import { pathToFileURL } from "node:url"

const hooks = `
export async function resolve(specifier, context, next) {
  if (specifier !== "pg") return next(specifier, context)
  throw Object.assign(new Error("Cannot find package 'pg'"), { code: "ERR_MODULE_NOT_FOUND" })
}`
const withoutPeer = `
import { register } from "node:module"
register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)})
`
const program = `
const { openMigrations } = await import(${JSON.stringify(pathToFileURL(`${process.cwd()}/.build/src/stores/postgres/migrations.js`).href)})
await openMigrations("postgres://127.0.0.1:1").catch(({ code, message }) => console.log(code, message))
`

it("a missing client library is told with the command that installs it", () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(withoutPeer)}`, "--input-type=module", "-e", program],
    { encoding: "utf8" },
  )
  assert.match(stdout, /^missing_dependency .*npm install pg$/m, stderr)
})
