// What a library's process does: one request for each task through the library's limiter. Retries nothing; tells when all are answered.
import { call } from "./call.mjs"

/** `makeLimiter` takes the options and gives `(guild, run) => promise`. */
export async function runLibrary(makeLimiter) {
  process.on("disconnect", () => process.exit())
  const { url, order, ...options } = JSON.parse(process.argv[2])
  const limited = makeLimiter(options)
  const send = (guild, i) => limited(guild, () => call(url, { guild, id: `task-${i}`, sender: "library" }))
  const answers = await Promise.all(order.map(send))
  process.send({ kind: "done", answered: answers.length }, () => process.exit())
}
