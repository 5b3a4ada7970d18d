#!/usr/bin/env node
// The program `sluice`: the command line of src/cli/run.ts on the real process.

import { exitCodeAfter, flush, processIo } from "./process-io.ts"
import { main } from "./run.ts"

const exitCode = await main(process.argv.slice(2), processIo)
await flush()
// Not left to the event loop: what a module of tasks still holds open (timers, connections) must not keep a drained worker.
process.exit(exitCodeAfter(exitCode))
