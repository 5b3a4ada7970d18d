import { runSluice } from "../empty-tasks/sluice.mjs"
import { concurrency, usedBytes } from "./subject.mjs"

await runSluice({ limit: { rate: { limit: 100_000, per: "1s", provider: "sliding" } }, concurrency, usedBytes })
