// The server of the second case: a process of its own that imports nothing of Sluice. A call is in flight from its arrival until it is
// answered or its connection ends, whichever comes first. Calls below /hang are never answered.
import { createServer } from "node:http"
import { listen } from "./listen.mjs"
import { nowMs } from "./now.mjs"
import { between, seeded } from "./random.mjs"

const { answerMs, slots, seed, mostEntries } = JSON.parse(process.argv[2])
const random = seeded(seed)
const log = []
let inFlight = 0
let isAskedForFull = false

function note(kind, call, change) {
  inFlight += change
  if (log.length >= mostEntries) throw new Error(`documents server: expected at most ${mostEntries} entries`)
  log.push({ kind, ...call, atMs: nowMs(), inFlight })
  if (isAskedForFull && inFlight >= slots) {
    isAskedForFull = false
    process.send({ kind: "full" })
  }
}

function answer(request, response) {
  const [, kind, id, workerId] = request.url.split("/")
  const call = { id, workerId, hangs: kind === "hang" }
  const { socket } = request
  note("arrived", call, 1)
  const end = (how) => {
    socket.off("end", gone).off("error", gone).off("close", gone)
    clearTimeout(timer)
    note(how, call, -1)
  }
  // The end of the stream comes first: before "close" is emitted, a call that took over the slot may have arrived already.
  const gone = () => end("gone")
  socket.on("end", gone).on("error", gone).on("close", gone)
  request.resume()
  const timer = call.hangs
    ? undefined
    : setTimeout(
        () => {
          end("answered")
          response.end("{}")
        },
        between(random, ...answerMs),
      )
}

process.on("message", ({ kind }) => {
  if (kind === "log") process.send({ kind: "log", log })
  if (kind !== "full") return
  if (inFlight >= slots) process.send({ kind: "full" })
  else isAskedForFull = true
})
listen(createServer(answer))
