// The provider: a process of its own that imports nothing of Sluice. It counts each request when it arrives, by the first part of its
// path, answers 429 to what exceeds the limit, and keeps a log of every arrival.
import { createServer } from "node:http"
import { countings } from "./counting.mjs"
import { listen } from "./listen.mjs"
import { nowMs } from "./now.mjs"
import { between, seeded } from "./random.mjs"

const options = JSON.parse(process.argv[2])
const random = seeded(options.seed)
const keys = new Map()
const log = []
let accepted = 0
let tellAt = null

function count(key, atMs) {
  if (!keys.has(key)) keys.set(key, countings[options.counting](options))
  return keys.get(key)(atMs)
}

function answer(request, response) {
  const atMs = nowMs()
  const [, key, id, sender] = request.url.split("/")
  request.resume()
  const waitMs = count(key, atMs)
  if (log.length >= options.mostRequests) throw new Error(`provider: expected at most ${options.mostRequests} requests`)
  log.push({ key, id, atMs, status: waitMs === null ? 200 : 429 })
  if (waitMs === null && ++accepted === tellAt) process.send({ kind: "reached", sender })
  const headers = waitMs === null ? {} : { "retry-after": String(Math.ceil(waitMs / 1_000)) }
  const [least, most] = options.answerMs
  setTimeout(() => response.writeHead(waitMs === null ? 200 : 429, headers).end("{}"), between(random, least, most))
}

process.on("message", ({ kind, accepted: wanted }) => {
  if (kind === "tell") tellAt = wanted
  if (kind === "log") process.send({ kind: "log", log })
})
listen(createServer(answer))
