import { slotsOn, stormOn } from "./tenth.ts"

const words = ["--tasks", "10000", "--kills", "100"]

stormOn("sqlite", words, { tasks: 10_000, kills: 100, pauses: 20 })
slotsOn("sqlite", words)
