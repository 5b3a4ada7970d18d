// What the tests need and do not find is installed by the system's packages, and whoever cannot have it so is told why and what to do. The
// commands on the path here are of the test's own: nothing is installed.

import assert from "node:assert/strict"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it, type TestContext } from "node:test"
import { installed } from "../../engines/packages.ts"
import { findProgram } from "../../engines/programs.ts"

const wanted = { name: "a spade", packages: ["spade", "handle"], others: "or name one in SPADE" }
const command = "install -y --no-install-recommends spade handle"
/** Knows packages only once it has read the lists anew. */
const aptGet = `
case "$1" in
  install) echo "$*" >> "$HERE/calls"; [ -e "$HERE/lists" ] || exit 100; echo > "$HERE/spade"; /bin/chmod +x "$HERE/spade" ;;
  update) echo "$*" >> "$HERE/calls"; : > "$HERE/lists" ;;
esac`
const sudo = 'shift; [ "$1" = true ] || echo sudo >> "$HERE/calls"; "$@"'

const usual = process.env

interface Machine {
  readonly install: () => string
  readonly spade: string
  calls(): readonly string[]
}

/** A machine that has no other commands than these. */
function machine(t: TestContext, commands: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}): Machine {
  const folder = mkdtempSync(join(tmpdir(), "sluice-packages-"))
  for (const [name, script] of Object.entries(commands)) writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  process.env = { ...usual, SLUICE_NO_INSTALL: "", PATH: folder, HERE: folder, ...env }
  t.after(() => {
    process.env = usual
    rmSync(folder, { recursive: true, force: true })
  })
  const calls = join(folder, "calls")
  return {
    install: () => installed(wanted, () => findProgram(["spade"], [])),
    spade: join(folder, "spade"),
    calls: () => (existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : []),
  }
}

const be = (t: TestContext, uid: number) => t.mock.method(process as { getuid: () => number }, "getuid", () => uid)

/** With the reason, the command and the other ways. */
function expectHelp(install: () => string, why: string): void {
  const message = `expected a spade, found none, and ${why}; install it: sudo apt-get ${command} (Debian, Ubuntu), or name one in SPADE`
  assert.throws(install, { message })
}

it("root installs it, with new lists of packages where the old ones do not do", (t) => {
  be(t, 0)
  const { install, spade, calls } = machine(t, { "apt-get": aptGet })
  assert.equal(install(), spade)
  assert.deepEqual(calls(), [command, "update", command])
})

it("whoever is not root installs it by sudo", (t) => {
  be(t, 1_000)
  const { install, spade, calls } = machine(t, { "apt-get": aptGet, sudo })
  assert.equal(install(), spade)
  assert.deepEqual(calls(), ["sudo", command, "sudo", "update", "sudo", command])
})

it("where sudo wants a password, nothing is installed", (t) => {
  be(t, 1_000)
  const { install, calls } = machine(t, { "apt-get": aptGet, sudo: "exit 1" })
  expectHelp(install, "only root or sudo without a password may install it")
  assert.deepEqual(calls(), [])
})

it("SLUICE_NO_INSTALL=1 forbids it", (t) => {
  be(t, 0)
  const { install, calls } = machine(t, { "apt-get": aptGet }, { SLUICE_NO_INSTALL: "1" })
  expectHelp(install, "SLUICE_NO_INSTALL=1 forbids to install it")
  assert.deepEqual(calls(), [])
})

it("a system of other packages is told how this one would do it", (t) => {
  be(t, 0)
  expectHelp(machine(t, {}).install, "there is no apt-get to install it by")
})

it("what cannot be installed is told", (t) => {
  be(t, 0)
  expectHelp(machine(t, { "apt-get": '[ "$1" != install ]' }).install, "apt-get could not install it (see above)")
  expectHelp(machine(t, { "apt-get": "exit 0" }).install, "it is not where it was looked for after apt-get installed it")
})

it("a name that is wanted first is taken from wherever it is, and the path comes before other folders", (t) => {
  const own = machine(t, { second: "exit 0", both: "exit 0" })
  const there = own.spade.replace(/spade$/, "")
  machine(t, { first: "exit 0", both: "exit 0" })
  const onPath = process.env.PATH ?? ""
  assert.equal(findProgram(["second", "first"], [there]), join(there, "second"))
  assert.equal(findProgram(["missing", "second"], [there]), join(there, "second"))
  assert.equal(findProgram(["both"], [there]), join(onPath, "both"))
  assert.equal(findProgram(["missing"], [there]), null)
})
