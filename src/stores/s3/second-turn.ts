// The server tells whole seconds. What a process has heard when it starts leaves its time open by up to one of them, and by so much later
// becomes free what it charges. So before it charges a gate it watches a second turn: a few looks, once.

const pauseMs = 20
/** A second turns within one. */
const longestMs = 1_200

export interface Watching {
  /** On the process's own clock. */
  nowMs(): number
  /** How much of the server's time is open; null where the server tells none. */
  openMs(): number | null
  /** Asks the server for something. */
  look(): Promise<void>
  sleep(ms: number): Promise<void>
}

/** Until no more is open than lies between two looks, or a second has passed. Where the server cannot be reached, the charge itself tells it. */
export async function watchSecond({ nowMs, openMs, look, sleep }: Watching): Promise<void> {
  const fromMs = nowMs()
  for (let tookMs = 0; nowMs() - fromMs < longestMs; ) {
    const open = openMs()
    if (open === null || open <= 1.5 * (pauseMs + 2 * tookMs)) return
    await sleep(pauseMs)
    const sentAtMs = nowMs()
    const isAnswered = await look().then(
      () => true,
      () => false,
    )
    if (!isAnswered) return
    tookMs = nowMs() - sentAtMs
  }
}
