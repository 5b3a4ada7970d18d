import { aTenthOfChaos } from "./tenth.ts"

aTenthOfChaos("sqlite", ["--tasks", "10000", "--kills", "100"], { tasks: 10_000, kills: 100, pauses: 20 })
