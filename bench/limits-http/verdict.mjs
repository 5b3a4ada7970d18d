// The lines that the bench holds Sluice to. Each says what was wanted and what came; the others are only measured.

const leastOfIdeal = 0.95
const leastForecast = 0.99
const leastKills = 6
/** To notice that a lease has ended, to claim, and to send the request. */
const claimTakesMs = 500

const line = (what, wanted, got, isMet) => ({ what, wanted: String(wanted), got: String(got), isMet })

export function rateLines(run, shape) {
  const { forecasts } = run
  return [
    line("requests refused with 429", 0, run.refused, run.refused === 0),
    line("most in one window, by the log", `<= ${shape.limit}`, run.mostInWindow, run.mostInWindow <= shape.limit),
    line("share of the ideal speed", `>= ${leastOfIdeal}`, run.ofIdeal.toFixed(3), run.ofIdeal >= leastOfIdeal),
    line(
      "forecasts within one window",
      `>= ${leastForecast * 100} %`,
      `${forecasts.within} of ${forecasts.count}`,
      forecasts.within >= leastForecast * forecasts.count,
    ),
    line("completed exactly once", shape.tasks, run.completedOnce, run.completedOnce === shape.tasks),
    line("tasks in flight at the kill", "> 0", run.lost, run.lost > 0),
  ]
}

export function slotLines(run, shape) {
  const longestMs = shape.leaseMs + claimTakesMs
  const isEver = run.recoveries.every((ms) => ms !== null)
  const isRecovered = isEver && run.worstRecoveryMs <= longestMs
  return [
    line("most calls in flight", `<= ${shape.slots}`, run.mostInFlight, run.mostInFlight <= shape.slots),
    line("kills", `>= ${leastKills}`, run.kills, run.kills >= leastKills),
    line(
      "slots back after a kill",
      `<= ${longestMs} ms`,
      isEver ? `${Math.round(run.worstRecoveryMs)} ms` : "not before the end",
      isRecovered,
    ),
    line("hung calls failed with timeout", run.hung, run.timedOut, run.hung > 0 && run.timedOut === run.hung),
    line("answered while one hung", "> 0", run.leastAnsweredBesideHung, run.leastAnsweredBesideHung > 0),
    line("others completed exactly once", run.others, run.completedOnce, run.completedOnce === run.others),
  ]
}
