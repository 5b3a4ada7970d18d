// sluice completion: scripts that know every command, option and status; the one for bash is asked in a real bash.

import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { describe, it } from "node:test"
import { statuses } from "../../../src/task/index.ts"
import { CommandLine } from "./command-line.ts"

async function script(shell: string): Promise<string> {
  const { stdout, exitCode } = await new CommandLine().sluice("completion", shell)
  assert.equal(exitCode, 0)
  return stdout
}

describe("sluice completion", () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    it(`${shell} names commands, options and statuses`, async () => {
      const text = await script(shell)
      for (const word of [
        "submit",
        "explain",
        "forecast",
        "limits",
        "pause",
        "concurrency",
        "work",
        "completion",
        "max-reschedules",
        "until-empty",
        "namespace",
        ...statuses,
      ]) {
        assert.ok(text.includes(word), `${word} in the ${shell} script`)
      }
    })
  }

  for (const [typed, expected] of [
    ["sluice su", ["submit"]],
    ["sluice --store sqlite:x su", ["submit"]],
    ["sluice --namespace list su", ["submit"]],
    ["sluice list --status ex", ["expired"]],
    ["sluice submit --max-r", ["--max-retries", "--max-reschedules"]],
    ["sluice submit --js", ["--json"]],
    ["sluice get --max-r", []],
    ["sluice completion f", ["fish"]],
    ["sluice help com", ["completion"]],
    ["sluice submit --type ", []],
    ["sluice work ", []],
    ["sluice ex", ["explain"]],
    ["sluice limits s", ["show", "set"]],
    ["sluice limits lea", ["learned"]],
    ["sluice limits learned e", ["export"]],
    ["sluice limits learned set crawl/a --d", ["--delay"]],
    ["sluice limits set --d", []],
    ["sluice --json limits learned re", ["reset"]],
    ["sluice --store sqlite:x limits --json re", ["resume", "reset"]],
    ["sluice limits set --r", ["--rate"]],
    ["sluice limits set vendor-api --u", ["--until"]],
    ["sluice limits pause --r", []],
    ["sluice limits pause ", []],
    ["sluice history --l", []],
    ["sluice limits history --l", ["--limit"]],
    ["sluice submit --ga", ["--gate"]],
  ] as const) {
    it(`bash completes "${typed}"`, async () => {
      const words = typed.split(" ")
      const asked = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`
      const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", `${await script("bash")}\n${asked}`], { encoding: "utf8" })
      assert.equal(stderr, "")
      assert.deepEqual(
        stdout.split("\n").filter((word) => word !== ""),
        expected,
      )
    })
  }
})
