// Settings and options are the same: every option of work and serve that outlives one run has a setting, and a setting arrives as if it
// had been typed.

import { deepEqual, equal } from "node:assert/strict"
import { describe, it } from "node:test"
import type { Command } from "commander"
import { applySettings } from "../../../src/cli/config/apply.ts"
import { settings } from "../../../src/cli/config/settings.ts"
import { processIo } from "../../../src/cli/process-io.ts"
import { makeProgram } from "../../../src/cli/program.ts"
import { Session } from "../../../src/cli/session.ts"

/** What is about one run, or has its variable for all commands. */
const without = ["--id", "--until-empty", "--watch", "--verbose", "--log", "--token-file", "--read-token-file"]

function commandNamed(name: string): Command {
  const found = makeProgram(new Session(processIo)).commands.find((command) => command.name() === name)
  if (!found) throw new Error(`expected a command ${name}`)
  return found
}

function applied(name: string, env: Readonly<Record<string, string>>, typed: readonly string[] = []): Record<string, unknown> {
  const command = commandNamed(name)
  command.parseOptions([...typed])
  applySettings(command, { ...processIo, env }, { environment: env, envFile: null, file: null, added: new Map(), problems: [] })
  return command.opts()
}

describe("settings", () => {
  for (const name of ["work", "serve"]) {
    it(`has one for every option of ${name}`, () => {
      const options = commandNamed(name).options.map(({ long }) => long ?? "")
      const told = settings.flatMap(({ flag }) => (flag?.command === name ? [flag.name] : []))
      deepEqual(
        options.filter((option) => !without.includes(option)),
        options.filter((option) => told.includes(option)),
      )
      equal(new Set(told).size, told.length)
      deepEqual(
        told.filter((option) => !options.includes(option)),
        [],
      )
    })
  }

  it("arrives as if it had been typed: text, switches, lists", () => {
    const env = {
      ...{ SLUICE_WORK_CONCURRENCY: "7", SLUICE_WORK_SCHEDULES: "false", SLUICE_WORK_METRICS_KEYS: "true" },
      ...{ SLUICE_SERVE_ALLOW_HOST: "a.example.com, b.example.com", SLUICE_SERVE_DASHBOARD: "false" },
    }
    deepEqual(applied("work", env), { concurrency: "7", schedules: false, metricsKeys: true })
    deepEqual(applied("serve", env), { allowHost: ["a.example.com", "b.example.com"], dashboard: false })
    deepEqual(applied("work", { SLUICE_WORK_SCHEDULES: "true", SLUICE_WORK_METRICS_KEYS: "false" }), {
      schedules: true,
      metricsKeys: false,
    })
  })

  it("goes behind what was typed", () => {
    const env = { SLUICE_WORK_CONCURRENCY: "7", SLUICE_WORK_SCHEDULES: "true" }
    deepEqual(applied("work", env, ["--concurrency", "3", "--no-schedules"]), { concurrency: "3", schedules: false })
  })
})
