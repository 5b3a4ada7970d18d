// What could be had at most of a short window at the benchmark's jitter: a client that knows limit, window and how the network's times are
// distributed, and sends whenever the chance to be refused is below a bound. By itself: `node bench/limits/edge.mjs [limit] [windowMs]`.
import { parseArgs } from "node:util"
import { seeded } from "../limits-http/random.mjs"
import { createNetwork, usualNetwork } from "./emulator/network.mjs"
import { percent, perMille } from "./tables.mjs"

const stepMs = 2
const longestWayMs = usualNetwork.baseMs + usualNetwork.capMs
const bounds = [0.003, 0.01, 0.02, 0.05]

/** Abramowitz and Stegun, 7.1.26. */
function normal(z) {
  const t = 1 / (1 + 0.3275911 * (Math.abs(z) / Math.SQRT2))
  const poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  const half = 1 - poly * Math.exp((-z * z) / 2)
  return z < 0 ? (1 - half) / 2 : (1 + half) / 2
}

/** Of one way: how likely it took no longer, and how likely about so long. */
function tookAtMost(ms) {
  const jitterMs = ms - usualNetwork.baseMs
  if (jitterMs <= 0) return 0
  return jitterMs >= usualNetwork.capMs ? 1 : normal(Math.log(jitterMs / usualNetwork.medianMs) / usualNetwork.sigma)
}
const tookAbout = (ms) => tookAtMost(ms + stepMs / 2) - tookAtMost(ms - stepMs / 2)

/** When a request was counted whose answer came after so long, as shares up to each step behind its sending. */
const countedTables = new Map()
function countedBy(rttMs) {
  const known = Math.round(rttMs / 4) * 4
  if (!countedTables.has(known)) {
    let sum = 0
    const shares = Float64Array.from({ length: Math.ceil(longestWayMs / stepMs) + 1 }, (_, i) => {
      sum += tookAbout(i * stepMs) * tookAbout(known - i * stepMs)
      return sum
    })
    countedTables.set(known, sum > 0 ? shares.map((share) => share / sum) : shares.fill(1))
  }
  const shares = countedTables.get(known)
  return (ms) => (ms < 0 ? 0 : (shares[Math.floor(ms / stepMs)] ?? 1))
}

/** The middles of ten equally likely parts of one way. */
const ways = Array.from({ length: 10 }, (_, i) => {
  let ms = usualNetwork.baseMs
  while (tookAtMost(ms) < (i + 0.5) / 10) ms++
  return ms
})

/** How likely the window is full when a request that is sent now arrives. */
function chanceRefused(sent, nowMs, limit, windowMs) {
  let chance = 0
  for (const wayMs of ways) {
    const atMs = nowMs + wayMs
    let [mean, variance] = [0, 0.01]
    for (const { sentAtMs, counted } of sent) {
      const share = counted(atMs - sentAtMs) - counted(atMs - windowMs - sentAtMs)
      mean += share
      variance += share * (1 - share)
    }
    chance += 1 - normal((limit - 0.5 - mean) / Math.sqrt(variance))
  }
  return chance / ways.length
}

function run({ limit, windowMs, bound, durationMs, seed }) {
  const network = createNetwork({ seed })
  const random = seeded(seed)
  let [accepted, refused, sent, coming, log] = [0, 0, [], [], []]
  const later = (atMs, happen) => {
    const i = coming.findLastIndex((one) => one.atMs <= atMs)
    coming.splice(i + 1, 0, { atMs, happen })
  }
  const send = (nowMs) => {
    const request = { sentAtMs: nowMs, counted: tookAtMost }
    sent.push(request)
    later(nowMs + network.oneWayMs(), (atMs) => {
      log = log.filter((ms) => ms > atMs - windowMs)
      const isIn = log.length < limit
      if (isIn) log.push(atMs)
      if (isIn) accepted++
      else refused++
      later(atMs + network.oneWayMs(), (backAtMs) => {
        if (isIn) request.counted = countedBy(backAtMs - request.sentAtMs)
        else sent = sent.filter((one) => one !== request)
      })
    })
  }
  for (let nowMs = random() * stepMs; nowMs < durationMs; nowMs += stepMs) {
    for (; coming.length > 0 && coming[0].atMs <= nowMs; ) {
      const { atMs, happen } = coming.shift()
      happen(atMs)
    }
    sent = sent.filter(({ sentAtMs }) => sentAtMs > nowMs - windowMs - 2 * longestWayMs)
    for (let i = 0; i < limit && chanceRefused(sent, nowMs, limit, windowMs) <= bound; i++) send(nowMs)
  }
  return { util: (accepted * windowMs) / (limit * durationMs), refused: (1_000 * refused) / (accepted + refused) }
}

const { positionals } = parseArgs({ allowPositionals: true })
const [limit = 30, windowMs = 1_000] = positionals.map(Number)
for (const bound of bounds) {
  const { util, refused } = run({ limit, windowMs, bound, durationMs: 300_000, seed: 1 })
  console.log(`${limit} per ${windowMs} ms, refused with a chance of ${bound} at most: ${percent(util)}, ${perMille(refused)}`)
}
