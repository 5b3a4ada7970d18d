// Where settings come from: an option goes before the environment, that before .env, that before the configuration file, that before the
// default; and what is wrong with them is said by whoever gave it.

import { deepEqual, equal, match, ok } from "node:assert/strict"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { after, describe, it } from "node:test"
import { CommandLine } from "./command-line.ts"
import { SluiceProcess } from "./sluice-process.ts"

// Below the package's own folder, so that "sluice" means this package.
mkdirSync(resolve(".build"), { recursive: true })
const root = mkdtempSync(resolve(".build", "config-"))
after(() => rmSync(root, { recursive: true, force: true }))

let made = 0
/** A command line in a folder of its own that has these files. */
function lineIn(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}): CommandLine {
  const cwd = join(root, String(made++))
  mkdirSync(cwd)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  return new CommandLine({ cwd, env: { SLUICE_STORE: "", SLUICE_LOG: "", ...env } })
}

interface Checked {
  readonly config_file: string | null
  readonly env_file: string | null
  readonly settings: readonly { key: string; variable: string; value: string | null; from: string }[]
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

async function check(line: CommandLine, ...argv: readonly string[]): Promise<Checked & { of(key: string): string | undefined }> {
  const checked = (await line.sluice("config", "check", "--json", ...argv)).json() as Checked
  return { ...checked, of: (key) => checked.settings.filter((one) => one.key === key).map(({ value, from }) => `${value} (${from})`)[0] }
}

const typescript = `import { defineConfig } from "sluice"
export default defineConfig({
  store: "memory:from-file",
  namespace: "file",
  work: { concurrency: 7, retention: null, schedules: false },
  serve: { allowHost: ["a.example.com", "b.example.com"] },
  job: { exemptStatuses: [404, 451], cancelAfterThrottles: { count: 5, delay: "10s" } },
  calls: { fallback: "refuse" },
  linear: { step: "2s", maxRetries: null },
})
`

describe("settings", () => {
  it("come from the option, else the environment, else .env, else the file, else the default", async () => {
    const files = { "sluice.config.ts": typescript, ".env": "SLUICE_NAMESPACE=dotenv\nSLUICE_WORK_GRACE=5m\nSLUICE_WORK_CONCURRENCY=8\n" }
    const line = lineIn(files, { SLUICE_WORK_CONCURRENCY: "9" })
    const all = await check(line, "--all")
    deepEqual(["store", "namespace", "work.concurrency", "work.grace", "work.lease"].map(all.of), [
      "memory:from-file (sluice.config.ts)",
      "dotenv (.env)",
      "9 (environment)",
      "5m (.env)",
      "30s (default)",
    ])
    equal((await check(line, "--namespace", "typed")).of("namespace"), "typed (--namespace)")
    deepEqual([all.problems, all.warnings], [[], []])
  })

  it("are read from a file as from a variable", async () => {
    const all = await check(lineIn({ "sluice.config.ts": typescript }))
    deepEqual(
      all.settings.map(({ key, value }) => [key, value]),
      [
        ["store", "memory:from-file"],
        ["namespace", "file"],
        ["work.concurrency", "7"],
        ["work.retention", "never"],
        ["work.schedules", "false"],
        ["serve.allowHost", "a.example.com,b.example.com"],
        ["job.exemptStatuses", "404,451"],
        ["job.cancelAfterThrottles", "5 at 10s"],
        ["calls.fallback", "refuse"],
        ["linear.step", "2s"],
        ["linear.maxRetries", "none"],
      ],
    )
    deepEqual(all.problems, [])
  })

  for (const [name, text] of Object.entries({
    "sluice.config.json": '{ "namespace": "file" }',
    "sluice.config.mjs": 'export default { namespace: "file" }',
    "sluice.config.js": 'export default { namespace: "file" }',
  })) {
    it(`may stand in ${name}`, async () => equal((await check(lineIn({ [name]: text }))).of("namespace"), `file (${name})`))
  }

  it("hold for every command", async () => {
    const line = lineIn({ "sluice.config.json": '{ "store": "memory:shared-by-config", "namespace": "of-config" }' })
    const id = await line.submit("-t", "call")
    const { stdout } = await line.sluice("get", id, "--json", "--store", "memory:shared-by-config", "--namespace", "of-config")
    equal((JSON.parse(stdout) as { id: string }).id, id)
  })

  it("hold as the options of a worker", async () => {
    const tasks = 'import { defineTask } from "sluice"\nexport const call = defineTask("call", { run: async () => 1 })\n'
    const json = '{ "store": "memory:worked-by-config", "work": { "lease": "100ms", "heartbeat": "80ms" } }'
    const line = lineIn({ "sluice.config.json": json, "tasks.ts": tasks })
    const refused = await line.sluice("work", "tasks.ts", "--until-empty")
    match(refused.stderr, /heartbeat: expected from 10ms to half the lease \(50ms\), got 80ms/)
    equal((await line.sluice("work", "tasks.ts", "--until-empty", "--heartbeat", "40ms")).exitCode, 0)
  })

  it("reach a worker's limits and handlers: what .env has, and what the file says of limits that learn", { timeout: 60_000 }, async () => {
    const tasks = `import { defineLimit, defineTask } from "sluice"
const api = defineLimit("api", { adaptive: "linear" })
export const call = defineTask("call", { limits: [api], run: async () => [process.env.API_KEY, api.policy.adaptive.stepUs] })
`
    const cwd = join(root, String(made++))
    mkdirSync(cwd)
    writeFileSync(join(cwd, "tasks.ts"), tasks)
    writeFileSync(join(cwd, ".env"), 'API_KEY="a key # of mine"\nSLUICE_STORE=sqlite:./own.db\n')
    writeFileSync(join(cwd, "sluice.config.json"), '{ "linear": { "step": "7s" } }')
    const { stdout: submitted } = await new SluiceProcess(cwd, ["submit", "-t", "call"]).ended
    const worked = await new SluiceProcess(cwd, ["work", "tasks.ts", "--until-empty"]).ended
    equal(worked.exitCode, 0, worked.stderr)
    const { stdout } = await new SluiceProcess(cwd, ["get", submitted.trim(), "--json", "--store", "sqlite:./own.db"]).ended
    deepEqual((JSON.parse(stdout) as { output: unknown }).output, ["a key # of mine", 7_000_000])
  })

  it("may stand in a file elsewhere, by --config or SLUICE_CONFIG", async () => {
    const json = '{ "namespace": "elsewhere" }'
    equal((await check(lineIn({ "other.json": json }), "--config", "other.json")).of("namespace"), "elsewhere (other.json)")
    equal((await check(lineIn({ "other.json": json, ".env": "SLUICE_CONFIG=other.json" }))).of("namespace"), "elsewhere (other.json)")
    const { stderr, exitCode } = await lineIn({}).sluice("counts", "--config", "none.json")
    match(stderr, /^sluice: --config: expected a configuration file, found nothing at .*none\.json\n$/)
    equal(exitCode, 2)
  })
})

it("a folder that is called .env is somebody else's", async () => {
  const cwd = join(root, String(made++))
  mkdirSync(join(cwd, ".env"), { recursive: true })
  const { stderr, exitCode } = await new CommandLine({ cwd }).sluice("counts")
  deepEqual([stderr, exitCode], ["", 0])
})

describe("settings that are wrong", () => {
  it("end every command, with what was meant", async () => {
    const { stderr, exitCode } = await lineIn({ "sluice.config.json": '{ "work": { "concurency": 3 }, "stor": "memory:" }' }).sluice(
      "counts",
    )
    match(stderr, /sluice\.config\.json: unknown setting "work\.concurency"; did you mean "concurrency"\?/)
    match(stderr, /unknown setting "stor"; did you mean "store"\?/)
    equal(exitCode, 2)
  })

  it("are told by the name that their giver knows", async () => {
    const problems = async (line: CommandLine) => (await check(line)).problems
    const expected = (name: string, got: string) => [`${name}: expected a whole number from 1 to 100000, got ${got}`]
    deepEqual(
      await problems(lineIn({ "sluice.config.json": '{ "work": { "concurrency": 0 } }' })),
      expected("sluice.config.json: work.concurrency", "0"),
    )
    deepEqual(await problems(lineIn({ ".env": "SLUICE_WORK_CONCURRENCY=many" })), expected(".env: SLUICE_WORK_CONCURRENCY", '"many"'))
    deepEqual(await problems(lineIn({}, { SLUICE_WORK_CONCURRENCY: "many" })), expected("SLUICE_WORK_CONCURRENCY", '"many"'))
  })

  it("are all shown by config check, which ends with 2", async () => {
    const line = lineIn({ "sluice.config.json": '{ "work": { "lease": "long" }, "log": "xml", "store": "redis://me:secret@db" }' })
    const { stdout, stderr, exitCode } = await line.sluice("config", "check")
    match(stderr, /sluice\.config\.json: work\.lease: expected a duration[^\n]*\nsluice: sluice\.config\.json: log: expected text, json/)
    ok(!stdout.includes("secret") && !stdout.includes("Nothing is wrong"))
    equal(exitCode, 2)
  })

  it("are no variables that others have set, which only warn", async () => {
    const { warnings, problems } = await check(lineIn({}, { SLUICE_NAMESPCE: "x", SLUICE_QUEUE_SERVICE_HOST: "10.0.0.1" }))
    deepEqual(warnings, [
      "SLUICE_NAMESPCE is no variable of Sluice; did you mean SLUICE_NAMESPACE?",
      "SLUICE_QUEUE_SERVICE_HOST is no variable of Sluice",
    ])
    deepEqual(problems, [])
  })

  it("are two files of which nobody would know which holds, and one that does not load", async () => {
    const two = await lineIn({ "sluice.config.json": "{}", "sluice.config.js": "export default {}" }).sluice("counts")
    match(two.stderr, /expected one configuration file, found sluice\.config\.js and sluice\.config\.json/)
    const broken = await lineIn({ "sluice.config.json": "{" }).sluice("counts")
    match(broken.stderr, /^sluice: sluice\.config\.json: expected a configuration that loads, but [^\n]*\n$/)
    const empty = await lineIn({ "sluice.config.mjs": "export const store = 1" }).sluice("counts")
    match(empty.stderr, /sluice\.config\.mjs: expected an object of settings as its default export, got undefined/)
  })
})
