// Without the slots, which `npm run chaos -- s3` measures: they would double the time.

import { stormOn } from "./tenth.ts"

stormOn("s3", ["--tasks", "5000", "--kills", "50", "--restarts", "3"], {
  tasks: 5_000,
  kills: 50,
  pauses: 10,
  restarts: 3,
  cuts: 25,
  partitions: 1,
})
