import { aTenthOfChaos } from "./tenth.ts"

aTenthOfChaos("redis", ["--tasks", "10000", "--kills", "100", "--restarts", "5"], {
  tasks: 10_000,
  kills: 100,
  pauses: 20,
  restarts: 5,
  cuts: 50,
  partitions: 1,
})
