// How a step goes about it. `looking`: it writes nothing. `locked`: it has its namespace to itself. `free`: it keeps to tasks that no limit
// and no job holds, and to what nobody else writes; so any number of them run at once. One that meets anything else ends, and is run locked.

export type Mode = "looking" | "locked" | "free"

export class NeedsLock extends Error {
  constructor(what: string) {
    super(`${what} needs the lock of the namespace`)
  }
}

/** Somebody without the lock was faster: the step is run again. */
export class Overtaken extends Error {
  constructor() {
    super("what was looked at has been claimed by somebody else")
  }
}
