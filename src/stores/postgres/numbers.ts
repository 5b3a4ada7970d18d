// Numbers for new rows, taken from the database by the thousand: whoever needs one seldom has to ask.

/** How far a sequence goes on with each call; the migrations say the same. */
export const block = 1_024

export class Numbers {
  private next = 0
  private left = 0

  /** The first of `count` consecutive numbers; `ask` gives the first of a new block. */
  async take(count: number, ask: () => Promise<number>): Promise<number> {
    if (count > block) throw new Error(`expected at most ${block} numbers at once, got ${count}`)
    if (this.left < count) {
      this.next = await ask()
      this.left = block
    }
    const first = this.next
    this.next += count
    this.left -= count
    return first
  }
}
