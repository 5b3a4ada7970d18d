// What the subjects on Postgres have in common beside the tasks.
import { run as runEmptyTasks } from "../empty-tasks/subject.mjs"

export { groups, url } from "../empty-tasks/subject.mjs"

/** Of Sluice: what others call their batch, and hold in a local queue. Two exchanges of a hundred are then under way at once. */
export const concurrency = 200
/** Whoever needs longer is stopped then. */
export const mostMs = 30_000

export const run = (subject) => runEmptyTasks(subject, mostMs)
