// The history checker accepts what is right and names what is wrong: one bent history for each way to break a promise.

import { deepEqual, equal, match } from "node:assert/strict"
import { describe, it } from "node:test"
import { checkHistory, type Fact, rules } from "../../../src/testing/index.ts"
import { claimed, eventsOf, gates, killed, kindsIn, noGates, policy, rest, run, seen, settled, sliding, submitted } from "./checker-kit.ts"

const good = [submitted("a"), claimed("a", 1, 10), run("a", 1, "start", 11), run("a", 1, "end", 20), settled("a", 1, 21)]
const done = rest([seen("a", "completed", 1)])
const retried = settled("a", 1, 21, { outcome: "retried", status: "pending" })
const twice = [...good.slice(0, 4), retried, claimed("a", 2, 30), run("a", 2, "start", 31), settled("a", 2, 40)]
const lostOnce = [submitted("a"), claimed("a", 1, 10), run("a", 1, "start", 11), claimed("a", 2, 1_010), settled("a", 2, 1_020)]
const many = (count: number, everyMs: number, fields = {}) => {
  return Array.from({ length: count }, (_, i) => claimed(`t${i}`, 1, i * everyMs, { gates, ...fields }))
}
/** Another passes in the place of what a run has not spent, if the settle that says so was taken. */
const halfSpent = (...phases: readonly ("invoke" | "unknown" | "refused")[]) => [
  policy({ rates: [sliding(2, 100)] }),
  claimed("x", 1, 10, { gates: [{ limit: "api", key: "", cost: 2 }] }),
  ...phases.map((phase) => settled("x", 1, 20, { phase, status: null, spent: { api: 1 } })),
  claimed("y", 1, 30, { gates }),
]

const right: Readonly<Record<string, readonly Fact[]>> = {
  "a task that is run once": [...good, done],
  "a task that is run again because its run asked for it": [...twice, rest([seen("a", "completed", 2)])],
  "events in any order": [done, ...good.toReversed()],
  "a settle that is told twice": [...good, settled("a", 1, 25), done],
  "a claim that is told twice": [...good, claimed("a", 1, 10), done],
  "a lease that is lost by a worker that was killed": [...lostOnce, killed("w1", 15), rest([seen("a", "completed", 2)])],
  "a task that was failed, and retried by hand": [
    submitted("a"),
    claimed("a", 1, 10),
    run("a", 1, "start", 11),
    settled("a", 1, 20, { outcome: "failed", status: "failed" }),
    { op: "move", phase: "ok", verb: "retry", task: "a", status: "pending", atMs: 30 },
    claimed("a", 2, 40),
    settled("a", 2, 50),
    rest([seen("a", "completed", 2)]),
  ],
  "a claim that nobody was told of, but that the store shows": [
    submitted("a"),
    killed("w9", 12),
    claimed("a", 2, 2_000),
    run("a", 2, "start", 2_001),
    settled("a", 2, 2_010),
    rest([
      seen("a", "completed", 2, {
        claims: [
          { fence: 1, worker: "w9", atMs: 10 },
          { fence: 2, worker: "w1", atMs: 2_000 },
        ],
      }),
    ]),
  ],
  "as many as a window takes, again and again": [policy({ rates: [sliding(2, 100)] }), ...many(10, 50)],
  "a cost that a settle may have given back before its worker was stopped": halfSpent("invoke"),
  "a cost that a settle may have given back, whose answer was lost": halfSpent("invoke", "unknown"),
  "as many as there are slots": [
    policy({ slots: 2 }),
    ...many(6, 10, { untilMs: 0 }).map((fact, i) => ({ ...fact, untilMs: i * 10 + 20 }) as Fact),
  ],
}

const wrong: Readonly<Record<string, readonly [keyof typeof rules, readonly Fact[]]>> = {
  "an acknowledged task that is not there": ["lost", [submitted("a"), rest([])]],
  "a task that leaves its terminal status": ["double_terminal", [...good, claimed("a", 2, 30), settled("a", 2, 40)]],
  "a completed task that is failed in the end": ["double_terminal", [...good, rest([seen("a", "failed", 1)])]],
  "a cancelled task that is claimed": [
    "double_terminal",
    [...twice.slice(0, 5), { op: "move", phase: "ok", verb: "cancel", task: "a", status: "cancelled", atMs: 25 }, claimed("a", 2, 30)],
  ],
  "a running task that was asked to stop, and is run again": [
    "cancel_ignored",
    [
      ...twice.slice(0, 2),
      { op: "move", phase: "ok", verb: "cancel", task: "a", status: "running", atMs: 15 },
      retried,
      claimed("a", 2, 30),
    ],
  ],
  "a settle under a fence that was passed on": ["stale_settle", [...lostOnce, settled("a", 1, 1_015)]],
  "two outcomes under one fence": ["stale_settle", [...good, settled("a", 1, 25, { outcome: "failed", status: "failed" })]],
  "fences that do not grow": ["fence_order", [claimed("a", 1, 100), retried, claimed("a", 2, 50)]],
  "a settle under a fence that nobody was given": ["fence_order", [...good, settled("a", 5, 30), done]],
  "two workers with one fence": ["two_leases", [...good, claimed("a", 1, 10, { worker: "w2" })]],
  "a lease that is given while another one holds": [
    "two_leases",
    [claimed("a", 1, 10), claimed("a", 2, 500, { worker: "w2" }), killed("w1", 11)],
  ],
  "a lease that was renewed, and given away all the same": [
    "two_leases",
    [claimed("a", 1, 10), { op: "renew", task: "a", fence: 1, atMs: 900, untilMs: 1_900 }, claimed("a", 2, 1_020), killed("w1", 901)],
  ],
  "a handler that is started twice": ["two_leases", [...good, run("a", 1, "start", 12)]],
  "a completed task that nobody has run": [
    "never_ran",
    [...good, submitted("b"), claimed("b", 1, 5), settled("b", 1, 6), rest([seen("a", "completed", 1), seen("b", "completed", 1)])],
  ],
  "a lease that was lost for no reason": ["unattributed_run", lostOnce],
  "a lease that was lost before its worker was killed": ["unattributed_run", [...lostOnce, killed("w1", 5_000)]],
  "a lease that was lost because another was killed": ["unattributed_run", [...lostOnce, killed("w2", 15)]],
  "too many in a window": ["window_excess", [policy({ rates: [sliding(2, 100)] }), ...many(3, 49)]],
  "too many across the ends of two fixed windows": [
    "window_excess",
    [policy({ rates: [sliding(2, 100)] }), claimed("x", 1, 98, { gates }), claimed("y", 1, 99, { gates }), claimed("z", 1, 101, { gates })],
  ],
  "too many in a fixed window": ["window_excess", [policy({ rates: [{ ...sliding(2, 100), provider: "fixed" }] }), ...many(3, 49)]],
  "more than the burst of a bucket": [
    "window_excess",
    [policy({ rates: [{ ...sliding(1, 100), provider: "bucket", burst: 2 }] }), ...many(3, 10)],
  ],
  "a cost that does not fit": [
    "window_excess",
    [policy({ rates: [sliding(2, 100)] }), claimed("x", 1, 1, { gates: [{ limit: "api", key: "", cost: 3 }] })],
  ],
  "a cost that was not given back, because the settle was refused": ["window_excess", halfSpent("invoke", "refused")],
  "one that passes a closed gate": ["closed_gate", [policy({ closedUntilMs: 500 }), claimed("x", 1, 100, { gates })]],
  "one that passes a paused gate": ["closed_gate", [policy({ closedUntilMs: null }), claimed("x", 1, 100, { gates })]],
  "more than there are slots": ["slot_excess", [policy({ slots: 2 }), ...many(3, 10)]],
  "slots that are held when nothing runs": [
    "slot_leak",
    [...good, rest([seen("a", "completed", 1)], { gates: [{ limit: "api", key: "", held: 1, waitingTasks: 0, waitingCost: 0 }] })],
  ],
  "two tasks for one key": ["double_key", [submitted("a", "k"), submitted("b", "k")]],
  "two tasks with one key in the store": [
    "double_key",
    [rest([seen("a", "completed", 0, { key: "k" }), seen("b", "completed", 0, { key: "k" })])],
  ],
  "a task that is never claimed": ["not_drained", [submitted("a"), rest([seen("a", "pending", 0)])]],
  "a task that goes on running": ["not_drained", [submitted("a"), claimed("a", 1, 10), rest([seen("a", "running", 1)])]],
  "counts that do not add up": ["index_drift", [...good, rest([seen("a", "completed", 1)], { counts: { completed: 2 } })]],
  "a gate that counts those who wait wrongly": [
    "index_drift",
    [rest([seen("a", "completed", 0)], { gates: [{ limit: "api", key: "", held: 0, waitingTasks: 1, waitingCost: 1 }] })],
  ],
  "two tasks at one place in their lane": [
    "index_drift",
    [rest([seen("a", "pending", 0, { place: { lane: "x", ahead: 0 } }), seen("b", "pending", 0, { place: { lane: "x", ahead: 0 } })])],
  ],
}

describe("the history checker", () => {
  for (const [name, facts] of Object.entries(right)) it(`accepts ${name}`, () => deepEqual(kindsIn(facts), []))

  for (const [name, [kind, facts]] of Object.entries(wrong)) {
    it(`says ${kind} of ${name}`, () => equal(kindsIn(facts).includes(kind), true, `expected ${kind}, got ${kindsIn(facts)}`))
  }

  it("knows a way to break each promise", () => {
    const known = new Set([...Object.values(wrong).map(([kind]) => kind), "start_excess"])
    deepEqual(
      Object.keys(rules).filter((kind) => !known.has(kind as never)),
      [],
    )
  })

  it("judges starts by what a worker promises of them, not by when they were admitted", () => {
    const late = [0, 100, 101].flatMap((atMs, i) => [claimed(`t${i}`, 1, atMs, { gates }), run(`t${i}`, 1, "start", i === 0 ? 95 : atMs)])
    const limited = [policy({ rates: [sliding(2, 100)] }), ...late]
    deepEqual(kindsIn(limited), [])
    deepEqual(kindsIn(limited, { startWithinMs: 95 }), [])
    deepEqual(kindsIn(limited, { startWithinMs: 20 }), ["start_excess"])
  })

  it("allows for a retry that nobody got an answer to, and not for one that was refused", () => {
    const failed = settled("a", 1, 20, { outcome: "failed", status: "failed" })
    const move = (phase: "invoke" | "refused" | "unknown"): Fact => ({
      op: "move",
      phase,
      verb: "retry",
      task: "a",
      status: null,
      atMs: 25,
    })
    const facts = [submitted("a"), claimed("a", 1, 10), run("a", 1, "start", 11), failed, claimed("a", 2, 30), settled("a", 2, 40)]
    deepEqual(kindsIn(facts), ["double_terminal"])
    deepEqual(kindsIn([...facts, move("invoke")]), [])
    deepEqual(kindsIn([...facts, move("invoke"), move("unknown")]), [])
    deepEqual(kindsIn([...facts, move("invoke"), move("refused")]), ["double_terminal"])
  })

  it("does not hold an answer that was lost against anybody", () => {
    const unknown = settled("a", 1, 20, { phase: "unknown", status: null, outcome: "retried" })
    const cut: Fact = { op: "fault", fault: "lost_reply", victim: "w1", atMs: 20, untilMs: 25 }
    const facts = [submitted("a"), claimed("a", 1, 10), run("a", 1, "start", 11), unknown, cut, claimed("a", 2, 30), settled("a", 2, 40)]
    deepEqual(kindsIn([...facts, rest([seen("a", "completed", 2)])]), [])
  })

  it("takes a settle that was asked for again to have happened when it was first asked for", () => {
    const first = settled("a", 1, 20, { phase: "unknown", status: null })
    const again = settled("a", 1, 90)
    const holder = claimed("a", 1, 10, { gates })
    const facts = [policy({ slots: 1 }), holder, claimed("b", 1, 50, { gates })]
    deepEqual(kindsIn([...facts, again]), ["slot_excess"])
    deepEqual(kindsIn([...facts, first, again]), [])
  })

  it("counts what it has looked at, and says in words what is wrong", () => {
    const { violations, totals } = checkHistory(eventsOf([...lostOnce, settled("a", 1, 1_012, { phase: "refused" }), killed("w1", 15)]))
    deepEqual(violations, [])
    deepEqual(
      [totals.tasks, totals.claims, totals.settles, totals.refusedSettles, totals.lostLeases, totals.faults.kill],
      [1, 2, 1, 1, 1, 1],
    )
    const [violation] = checkHistory(eventsOf(lostOnce)).violations
    match(violation?.message ?? "", /task a: the lease of fence 1 was lost by w1, to whom nothing happened/)
  })

  it("counts handlers that ran at the same time, which leases cannot prevent", () => {
    const overlapping = [...lostOnce, run("a", 2, "start", 1_011), run("a", 1, "end", 1_500), killed("w1", 15)]
    equal(checkHistory(eventsOf(overlapping)).totals.overlaps, 1)
    equal(checkHistory(eventsOf(twice)).totals.overlaps, 0)
  })

  it("needs no gates to judge tasks, and no tasks to judge gates", () =>
    deepEqual([kindsIn([]), kindsIn([claimed("a", 1, 0, { gates: noGates })])], [[], []]))
})
