// sluice work, in this process: what it says, when it ends, and how it is stopped.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { systemWorld } from "../../../src/world/index.ts"
import { CommandLine, type CommandLineOptions } from "./command-line.ts"

const throttled = fileURLToPath(new URL("./modules/throttled.js", import.meta.url))
const talkative = fileURLToPath(new URL("./modules/talkative.js", import.meta.url))
const tasks = fileURLToPath(new URL("./modules/tasks.js", import.meta.url))

/** In real time: its timers are its own. */
const lineWith = (options: CommandLineOptions = {}) => new CommandLine({ world: systemWorld, ...options })

/** Calls back once the command line has said this. */
function whenSaid(line: CommandLine, pattern: RegExp, then: () => void): void {
  let said = ""
  let isDone = false
  line.onOutput = (text) => {
    said += text
    if (isDone || !pattern.test(said)) return
    isDone = true
    then()
  }
}

/** Without the times and ids that differ. */
function plainly(lines: readonly string[]): string[] {
  return lines.map((text) =>
    text
      .replace(/^\S+Z /, "")
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, "<id>")
      .replace(/ \d+ms/, " <ms>")
      .replace(/memory:\S+/, "<store>"),
  )
}

describe("sluice work", () => {
  it("says which tasks wait that nobody handles, when it starts", async () => {
    const line = lineWith()
    await line.submit("-t", "doubel", "-i", '{"n": 1}')
    const { stderr } = await line.sluice("work", tasks, "--until-empty")
    assert.equal(stderr, "note: tasks wait, and no live worker handles doubel; did you mean double?\n")
  })

  it("runs what is there until nothing is, with one line for each run", async () => {
    const line = lineWith()
    const ids = [await line.submit("-t", "double", "-i", '{"n": 21}'), await line.submit("-t", "later"), await line.submit("-t", "refuse")]
    const said = await line.sluice("work", tasks, "--until-empty", "--verbose", "--id", "worker-1", "--concurrency", "1")
    assert.equal(said.exitCode, 0)
    assert.equal(said.stderr, "")
    assert.deepEqual(plainly(said.lines), [
      'started worker worker-1 for careless, double, later, refuse, stubborn, until_asked in namespace "default" of <store>',
      "info double <id> doubling n=21",
      "debug double <id> for debugging",
      "completed double <id> <ms>",
      "rescheduled later <id> <ms>",
      "failed refuse <id> <ms> never\\u001b[2J this",
      "completed later <id> <ms>",
      "draining nothing is running",
      "stopped worker worker-1",
    ])
    const queue = await line.queue()
    assert.deepEqual(await Promise.all(ids.map(async (id) => (await queue.get(id))?.output)), [42, "at last", null])
    assert.equal(line.isListening, false, "signals are given back")
  })

  it("says nothing of single tasks where no terminal looks, but what handlers log", async () => {
    const line = lineWith()
    await line.submit("-t", "double", "-i", '{"n": 1}')
    const { lines } = await line.sluice("work", tasks, "--until-empty")
    assert.deepEqual(
      plainly(lines).map((text) => text.split(" ")[0]),
      ["started", "info", "draining", "stopped"],
    )
  })

  it("says all on a terminal, in colour", async () => {
    const line = lineWith({ columns: 120 })
    await line.submit("-t", "double", "-i", '{"n": 1}')
    assert.ok((await line.sluice("work", tasks, "--until-empty")).stdout.includes("Z \u001b[32mcompleted\u001b[0m double "))
  })

  it("with --json prints each event as a document", async () => {
    const line = lineWith()
    const id = await line.submit("-t", "refuse")
    const { lines, stderr } = await line.sluice("work", tasks, "--until-empty", "--json", "--id", "worker-1")
    assert.equal(stderr, "")
    const events = lines.map((text) => JSON.parse(text) as Record<string, unknown>)
    assert.deepEqual(
      events.map(({ event }) => event),
      ["worker.started", "task.claimed", "task.settled", "worker.draining", "worker.stopped"],
    )
    const { at, duration_ms: durationMs, ...settled } = events[2] ?? {}
    assert.match(String(at), /^\d{4}-\d\d-\d\dT.*Z$/)
    assert.equal(typeof durationMs, "number")
    assert.deepEqual(settled, {
      event: "task.settled",
      id,
      task_type: "refuse",
      fence: 1,
      outcome: "failed",
      status: "failed",
      error: "never\u001b[2J this",
      delay_ms: null,
      level: "info",
    })
  })

  it("logs JSON where no terminal looks: what needs attention on stderr, nothing of single tasks", async () => {
    const line = lineWith({ env: { SLUICE_LOG: "" } })
    await line.submit("-t", "throttled")
    const said = await line.sluice("work", throttled, "--until-empty", "--id", "worker-1")
    const events = (text: string) =>
      text
        .trim()
        .split("\n")
        .map((one) => JSON.parse(one) as Record<string, unknown>)
    assert.deepEqual(
      events(said.stdout).map(({ event, level }) => [event, level]),
      [
        ["worker.started", "info"],
        ["task.log", "info"],
        ["worker.draining", "info"],
        ["worker.stopped", "info"],
      ],
    )
    const [cooling, ...others] = events(said.stderr)
    assert.deepEqual(others, [])
    const { event, level, task_type, attempt, backoff_seconds, error, status } = cooling ?? {}
    assert.deepEqual(
      { event, level, task_type, attempt, backoff_seconds, error, status },
      { event: "gate.cooling", level: "warn", task_type: "throttled", attempt: 1, backoff_seconds: 0.001, error: "too fast", status: 429 },
    )
  })

  it("what a handler logs ends no worker, whatever it is", async () => {
    for (const log of ["text", "json"]) {
      const line = lineWith()
      const id = await line.submit("-t", "talkative")
      const { exitCode, stderr, stdout } = await line.sluice("work", talkative, "--until-empty", "--log", log)
      assert.deepEqual([exitCode, stderr], [0, ""])
      assert.equal((await (await line.queue()).get(id))?.output, "said")
      for (const said of ["12345678901234567890", "what it is part of", "boom", "only an error"])
        assert.ok(stdout.includes(said), `expected ${said} in ${stdout}`)
    }
  })

  it("--log text says it in words anywhere, and anything else is refused", async () => {
    const line = lineWith({ env: { SLUICE_LOG: "" } })
    const { lines } = await line.sluice("work", tasks, "--until-empty", "--log", "text")
    assert.match(lines[0] ?? "", /Z started worker /)
    const refused = await line.sluice("work", tasks, "--log", "jso")
    assert.deepEqual([refused.exitCode, refused.stderr], [2, 'sluice: --log: expected text, json, got "jso"; did you mean "json"?\n'])
  })

  it("--until-empty leaves types that it does not run alone", async () => {
    const line = lineWith()
    const id = await line.submit("-t", "of_another_module")
    assert.equal((await line.sluice("work", tasks, "--until-empty")).exitCode, 0)
    assert.equal((await (await line.queue()).get(id))?.status, "pending")
  })

  it("the first signal drains, a second one gives back what still runs; the exit code is 0", async () => {
    const line = lineWith()
    const id = await line.submit("-t", "stubborn")
    whenSaid(line, /never ends/, () => {
      line.signal("SIGINT")
      line.signal("SIGINT")
    })
    const said = await line.sluice("work", tasks, "--verbose")
    assert.equal(said.exitCode, 0)
    assert.match(said.stdout, /draining 1 task is running\n.*released stubborn .*\n.*stopped worker/)
    assert.match(said.stderr, /warn stubborn \S+ goes on after shutdown; it should heed ctx.signal/)
    const task = await (await line.queue()).get(id)
    assert.deepEqual([task?.status, task?.attempt, task?.retryCount], ["pending", 0, 0])
  })

  it("--grace ends the wait by itself", async () => {
    const line = lineWith()
    const id = await line.submit("-t", "stubborn")
    whenSaid(line, /never ends/, () => line.signal("SIGTERM"))
    assert.equal((await line.sluice("work", tasks, "--grace", "20ms")).exitCode, 0)
    assert.equal((await (await line.queue()).get(id))?.status, "pending")
  })

  it("a third signal ends at once, whatever is under way", async () => {
    const line = lineWith()
    await line.submit("-t", "stubborn")
    whenSaid(line, /never ends/, () => {
      for (let i = 0; i < 3; i++) line.signal("SIGINT")
    })
    assert.equal((await line.sluice("work", tasks)).exitCode, 130)
  })

  it("an error that no handler caught drains and ends with 1", async () => {
    const line = lineWith()
    const id = await line.submit("-t", "stubborn")
    whenSaid(line, /never ends/, () => {
      line.uncaught(new Error("left behind"))
      line.signal("SIGTERM")
    })
    const said = await line.sluice("work", tasks)
    assert.equal(said.exitCode, 1)
    assert.match(said.stderr, /^sluice: unexpected: left behind \(SLUICE_DEBUG=1 shows where\)\n/)
    assert.equal((await (await line.queue()).get(id))?.status, "pending", "given back, not lost")
  })

  it("takes every option of a worker", async () => {
    const line = lineWith()
    const id = await line.submit("-t", "double", "-i", '{"n": 2}')
    const options = [
      "--lease",
      "2s",
      "--heartbeat",
      "500ms",
      "--sweep",
      "1s",
      "--grace",
      "1s",
      "--retention",
      "never",
      "--concurrency",
      "3",
    ]
    assert.equal((await line.sluice("work", tasks, "--until-empty", "--id", "w-7", ...options)).exitCode, 0)
    assert.match((await line.sluice("history", id)).stdout, /claimed by w-7/)
    const refused = await line.sluice("work", tasks, "--lease", "1s", "--heartbeat", "1s")
    assert.deepEqual([refused.exitCode, refused.stdout], [2, ""])
    assert.match(refused.stderr, /^sluice: worker: heartbeat: expected from 10ms to half the lease/)
  })
})
