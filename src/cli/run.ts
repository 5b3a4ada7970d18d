// One run of the command line: arguments in, an exit code out. Nothing that is thrown gets past here.

import { CommanderError } from "commander"
import { errorTable } from "../errors/index.ts"
import type { Io } from "./io.ts"
import { makeProgram } from "./program.ts"
import { Session } from "./session.ts"

export async function main(argv: readonly string[], io: Io): Promise<number> {
  const session = new Session(io, argv)
  try {
    await makeProgram(session).parseAsync([...argv], { from: "user" })
  } catch (error) {
    // Commander ends a run by throwing as well: after help and version, and after help in place of a missing command.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : errorTable.invalid_option.exitCode
    session.fail(error)
  }
  return session.exitCode
}
