import { runSluice } from "../empty-tasks/sluice.mjs"
import { concurrency, mostMs } from "./subject.mjs"

await runSluice({ limit: { concurrency: 10 }, concurrency }, mostMs)
