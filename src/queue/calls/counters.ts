// What has become of the calls of each limit, in this process, since it was started.

export interface CallStats {
  /** Calls that got a slot, from the store or under the share. */
  readonly granted: number
  /** Calls that got none in time, or were to try and could not. */
  readonly refused: number
  /** Calls that had to stand in line first. */
  readonly waited: number
  /** Of those that were granted: while the store was out of reach. */
  readonly underShare: number
  /** Calls that have lost their slot while they ran. */
  readonly lost: number
}

export type Counted = { -readonly [Name in keyof CallStats]: number }

export class Counters {
  private readonly byLimit = new Map<string, Counted>()

  of(limit: string): Counted {
    const known = this.byLimit.get(limit) ?? { granted: 0, refused: 0, waited: 0, underShare: 0, lost: 0 }
    this.byLimit.set(limit, known)
    return known
  }
}
