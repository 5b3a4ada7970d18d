export { type Due, dueInstants, onTimeMs } from "./due.ts"
export { nextInstant, nextInstants, readTimetable, type Timetable } from "./instants.ts"
