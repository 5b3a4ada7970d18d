// The tree of commands: what `sluice --help` lists, what completion scripts and the reference are checked against.

import { Command } from "commander"
import { addArchive } from "./commands/archive.ts"
import { addCancel } from "./commands/cancel.ts"
import { addCompletion } from "./commands/completion.ts"
import { addConfig } from "./commands/config.ts"
import { addCounts } from "./commands/counts.ts"
import { addDoctor } from "./commands/doctor.ts"
import { addExplain } from "./commands/explain.ts"
import { addForecast } from "./commands/forecast.ts"
import { addGet } from "./commands/get.ts"
import { addHistory } from "./commands/history.ts"
import { addInit } from "./commands/init.ts"
import { addJob } from "./commands/job.ts"
import { addLimits } from "./commands/limits.ts"
import { addList } from "./commands/list.ts"
import { addMigrate } from "./commands/migrate.ts"
import { addNow } from "./commands/now.ts"
import { addRetry } from "./commands/retry.ts"
import { addS3 } from "./commands/s3.ts"
import { addSchedule } from "./commands/schedule.ts"
import { addServe } from "./commands/serve.ts"
import { addSimulate } from "./commands/simulate.ts"
import { addStatus } from "./commands/status.ts"
import { addSubmit } from "./commands/submit.ts"
import { addSweep } from "./commands/sweep.ts"
import { addTop } from "./commands/top.ts"
import { addWork } from "./commands/work.ts"
import { defaultStore } from "./default-store.ts"
import { examplesText, withUsageMistakes } from "./define.ts"
import type { Session } from "./session.ts"
import { version } from "./version.ts"

/** In the order of help: first what is used first. */
const commands = [
  addInit,
  addSubmit,
  addWork,
  addServe,
  addGet,
  addStatus,
  addExplain,
  addList,
  addHistory,
  addCounts,
  addCancel,
  addRetry,
  addArchive,
  addJob,
  addSchedule,
  addLimits,
  addForecast,
  addTop,
  addSimulate,
  addSweep,
  addNow,
  addMigrate,
  addS3,
  addDoctor,
  addConfig,
  addCompletion,
]

export function makeProgram(session: Session): Command {
  const { io } = session
  const program = new Command("sluice")
    .description("A durable task queue: submit tasks, run workers, see what became of them.")
    .version(version, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Show help")
    .helpCommand("help [command]", "Show the help of a command")
    .option("--store <url>", `Where tasks are kept (env SLUICE_STORE, else "${defaultStore}")`)
    .option("--namespace <name>", 'A world of its own within the store (env SLUICE_NAMESPACE, else "default")')
    .option("--config <file>", "The configuration file (env SLUICE_CONFIG, else sluice.config.ts, .mts, .js, .mjs or .json here)")
    .option("--json", "Print one JSON document instead of text for people")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // Mistakes are told by the session, all in one form.
      outputError: () => {},
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .hook("preAction", (_program, command) => session.begin(command))
  program.addHelpText(
    "after",
    examplesText([
      'sluice submit -t call_api -i \'{"url": "https://example.com"}\' --ttl 1h',
      "sluice work ./tasks.ts --concurrency 20",
      "sluice counts --json",
    ]),
  )
  withUsageMistakes(program)
  for (const add of commands) add(program, session)
  return program
}
