// `sluice doctor` on Redis: what the server keeps, what is wrong with it, and no password.

import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { it } from "node:test"
import { adminOf, ownServer, patience } from "./kit.ts"

interface Report {
  readonly url: string
  readonly facts: Readonly<Record<string, unknown>>
  readonly checks: readonly { readonly result: string; readonly message: string }[]
}

function doctor(url: string): Report {
  return JSON.parse(execFileSync(process.execPath, [".build/src/cli/main.js", "--store", url, "doctor", "--json"], { encoding: "utf8" }))
}

const warnings = ({ checks }: Report) =>
  checks.filter(({ result, message }) => result === "warn" && !message.startsWith("CVE")).map(({ message }) => message)

it("a server that keeps nothing is warned of", patience, async (test) => {
  const server = await ownServer(test)
  assert.match(warnings(doctor(server.url)).join("\n"), /does not keep what it has acknowledged: none: .*appendonly yes/)
})

it("one that keeps what it is told is well, and its password does not show", patience, async (test) => {
  const server = await ownServer(test, { args: ["--appendonly", "yes", "--requirepass", "s3cret"] })
  const report = doctor(`redis://:s3cret@127.0.0.1:${server.port}`)
  assert.deepEqual(warnings(report), [])
  assert.equal(report.url, `redis://:***@127.0.0.1:${server.port}`)
  assert.equal(report.facts.persistence, "aof everysec")
})

it("a policy that was changed later is warned of by whoever is connected", patience, async (test) => {
  const server = await ownServer(test, { args: ["--appendonly", "yes"] })
  const { connect } = await import("../../src/index.ts")
  const { runChecks } = await import("../../src/cli/checks.ts")
  const queue = await connect(server.url)
  test.after(() => queue.close())
  await (await adminOf(test, server.url)).text("CONFIG", "SET", "maxmemory-policy", "volatile-lru")
  const found = (await runChecks(queue)).map(({ message }) => message)
  assert.ok(
    found.some((message) => /maxmemory-policy is volatile-lru: set noeviction/.test(message)),
    found.join("\n"),
  )
})
