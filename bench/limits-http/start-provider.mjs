// Starts a provider process for one run.

/** Counted at once, answered a little later: there is always something under way. */
const answerMs = [20, 60]

export async function startProvider(start, shape, counting, random) {
  const { limit, windowMs, tasks } = shape
  const options = { counting, limit, windowMs, phaseMs: random() * windowMs, answerMs, seed: random() * 2 ** 32, mostRequests: tasks * 20 }
  const child = start("provider.mjs", options)
  const { url } = await child.next("listening")
  return {
    url,
    options,
    async log() {
      child.send({ kind: "log" })
      return (await child.next("log")).log
    },
    /** When so many requests have been accepted: who sent the last of them, and still waits for its answer. */
    async senderOf(accepted) {
      child.send({ kind: "tell", accepted })
      return (await child.next("reached")).sender
    },
  }
}
