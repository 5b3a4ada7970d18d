// Without the slots, which `npm run chaos -- postgres` measures: they would double the time.

import { stormOn } from "./tenth.ts"

stormOn("postgres", ["--tasks", "10000", "--kills", "100", "--restarts", "5"], {
  tasks: 10_000,
  kills: 100,
  pauses: 20,
  restarts: 5,
  cuts: 50,
  partitions: 1,
})
