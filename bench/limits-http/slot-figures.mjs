// From the server's log and the store's history to the figures of the second case.
import { spread } from "./spread.mjs"

export function slotFigures({ lives, log, kills, hangs }, { slots, calls }) {
  const others = lives.filter(({ id }) => !hangs.has(id))
  const hung = lives.filter(({ id, lost }) => hangs.has(id) && lost === 0)
  const recoveries = kills.map((round) => recoveryMs(log, round, slots))
  return {
    calls,
    ms: log.at(-1).atMs - log[0].atMs,
    mostInFlight: Math.max(...log.map(({ inFlight }) => inFlight)),
    busy: busyShare(log, slots),
    kills: kills.flat().length,
    recoveries,
    worstRecoveryMs: Math.max(...recoveries.filter((ms) => ms !== null)),
    lost: lives.filter(({ lost }) => lost > 0).length,
    hung: hung.length,
    hungLost: hangs.size - hung.length,
    timedOut: hung.filter(({ status, lastError }) => status === "failed" && lastError === "timeout").length,
    leastAnsweredBesideHung: Math.min(...hung.map(({ id }) => answeredBeside(log, id))),
    others: others.length,
    completedOnce: others.filter(({ status, completedAtMs }) => status === "completed" && completedAtMs.length === 1).length,
    betweenCallsMs: spread(idleMs(log, slots)),
  }
}

/** From the kill until all slots were in use again, once the calls of the killed had ended; null where they never were. */
function recoveryMs(log, round, slots) {
  const killedAtMs = Math.max(...round.map(({ atMs }) => atMs))
  const killed = new Set(round.map(({ workerId }) => workerId))
  const before = log.filter(({ atMs }) => atMs < killedAtMs).at(-1)?.inFlight ?? 0
  const ended = log.filter(({ kind, workerId, atMs }) => kind === "gone" && killed.has(workerId) && atMs >= killedAtMs)
  if (ended.length === 0 && before >= slots) return 0
  const fromMs = ended.at(-1)?.atMs ?? killedAtMs
  const full = log.find(({ atMs, inFlight }) => atMs >= fromMs && inFlight >= slots)
  return full ? full.atMs - killedAtMs : null
}

/** What was answered while this call hung. */
function answeredBeside(log, id) {
  const times = log.filter((entry) => entry.id === id).map(({ atMs }) => atMs)
  return log.filter(({ kind, atMs }) => kind === "answered" && atMs > times[0] && atMs < times.at(-1)).length
}

/** Each time that fewer than all slots were in use between two moments at which all were. */
function idleMs(log, slots) {
  const gaps = []
  let sinceMs = null
  for (const { atMs, inFlight } of log) {
    if (inFlight < slots) sinceMs ??= atMs
    else if (sinceMs !== null) {
      gaps.push(atMs - sinceMs)
      sinceMs = null
    }
  }
  return gaps
}

function busyShare(log, slots) {
  let busyMs = 0
  for (let i = 1; i < log.length; i++) busyMs += log[i - 1].inFlight * (log[i].atMs - log[i - 1].atMs)
  return busyMs / (slots * (log.at(-1).atMs - log[0].atMs))
}
