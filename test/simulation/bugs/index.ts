import type { Bug } from "./bug.ts"
import { gateBugs } from "./gates.ts"
import { jobBugs } from "./jobs.ts"
import { schedulingBugs } from "./scheduling.ts"
import { settlingBugs } from "./settling.ts"
import { storingBugs } from "./storing.ts"

export type { Bug, Edit } from "./bug.ts"
export const bugs: readonly Bug[] = [...settlingBugs, ...gateBugs, ...storingBugs, ...schedulingBugs, ...jobBugs]
