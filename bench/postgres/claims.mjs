// One exchange at a time, on a namespace with nothing else in it and on one with much: claims beside a million tasks that wait, and after
// five million that have finished. Both sides take turns, so that a noisy machine is noisy for both.
import pg from "pg"
import { connect, defineTask } from "../../dist/index.js"
import { Backlog } from "../lanes/backlog.mjs"
import { quantile, whole } from "../report/figures.mjs"

const rounds = 500
const warmUp = 50
const size = 10

/** As Backlog, of tasks that pass no gate. */
class PlainBacklog extends Backlog {
  static task = defineTask("plain", { run: () => {} })
  static async open(url, namespace = "default") {
    return new PlainBacklog(await connect(url, { namespace }))
  }

  type = "plain"

  offer(count) {
    return this.queue.submitMany(
      PlainBacklog.task,
      Array.from({ length: count }, (_, n) => ({ n })),
    )
  }
}

async function compare(sides) {
  const times = Object.fromEntries(Object.keys(sides).map((name) => [name, []]))
  for (let i = 0; i < rounds + warmUp; i++) {
    for (const [name, side] of Object.entries(sides)) {
      await side.offer(size)
      const { ms, claimed } = await side.claim(size)
      if (claimed !== size) throw new Error(`bench postgres: expected ${size} tasks from a claim, got ${claimed}`)
      if (i >= warmUp) times[name].push(ms)
    }
  }
  for (const side of Object.values(sides)) await side.close()
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, { p50: quantile(list, 0.5), p99: quantile(list, 0.99) }]))
}

/** Both namespaces in one database: what one holds must not slow the other either. */
export async function measureBlocked(server, { blocked, groups }, tell) {
  const url = await server.fresh()
  const sides = { empty: await Backlog.open(url, "empty"), full: await Backlog.open(url, "full") }
  const startedAtMs = performance.now()
  const waiting = await sides.full.fill(blocked, groups, (done) => tell(`${whole(done)} tasks submitted`))
  const submitPerS = (blocked / (performance.now() - startedAtMs)) * 1_000
  return { waiting, submitPerS, ...(await compare(sides)) }
}

/** In two databases. Of tasks that pass no gate, and of those that pass one. */
export async function measureFinished(server, finished, tell) {
  const empty = await server.fresh()
  const full = await server.another()
  const first = await connect(full)
  await first.close()
  tell(`${whole(finished)} finished tasks are written`)
  await fillFinished(full, finished)
  const plain = await compare({ empty: await PlainBacklog.open(empty), full: await PlainBacklog.open(full) })
  const gated = await compare({ empty: await Backlog.open(empty), full: await Backlog.open(full) })
  return { finished, plain, gated }
}

/** As the store leaves them: columns that are not named are as a completed task has them. */
async function fillFinished(url, count) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const piece = 250_000
  try {
    for (let from = 0; from < count; from += piece) {
      await client.query(
        `INSERT INTO sluice.tasks (seq, ns, id, type, status, priority, input, created_at_ms, updated_at_ms, available_at_ms, ready_at_ms,
           started_at_ms, completed_at_ms, finished_at_ms, max_retries, attempt, fence, version, timeout_ms, last_outcome, history)
         SELECT nextval('sluice.task_numbers'), (SELECT min(ns) FROM sluice.namespaces), 'old-' || md5(n::text), 'plain', 'completed', 0,
           '{"n":' || n || '}', at, at + 5, at, at, at + 1, at + 5, at + 5, 3, 1, 1, 3, 3600000, 'completed',
           '{"atMs":' || at || ',"status":"pending","event":"created"},{"atMs":' || at + 1 || ',"status":"running","event":"claimed","workerId":"w"}'
           || ',{"atMs":' || at + 5 || ',"status":"completed","event":"completed"}'
         FROM (SELECT n, (extract(epoch FROM clock_timestamp()) * 1000)::bigint - ($2::bigint - n) * 10 AS at
               FROM generate_series($1::bigint + 1, least($1::bigint + $3::bigint, $2::bigint)) AS n) AS one`,
        [from, count, piece],
      )
    }
    await client.query(
      `INSERT INTO sluice.tallies (ns, type, status, count, at_ms)
       SELECT min(ns), 'plain', 'completed', $1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1000 FROM sluice.namespaces`,
      [count],
    )
  } finally {
    await client.end()
  }
}
