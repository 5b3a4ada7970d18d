// Runs the tests: checks of the source first, then every file under test/ that ends in .test.ts, or those whose path
// contains one of the words given. With --long also those that take minutes each, which else run only by name. Ends with
// "N passed, N failed".
import { spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { run } from "node:test"
import { spec } from "node:test/reporters"
import { filesBelow } from "./files.mjs"

const isLong = process.argv.includes("--long")
const words = process.argv.slice(2).filter((word) => word !== "--long")
const step = (command, ...args) => {
  const { status } = spawnSync(command, args, { stdio: "inherit" })
  if (status !== 0) finish(0, 1)
}

let passed = 0
let failed = 0

function finish(passedCount, failedCount) {
  console.log(`${passedCount} passed, ${failedCount} failed`)
  process.exit(failedCount > 0 || passedCount === 0 ? 1 : 0)
}

step("npm", "run", "--silent", "check")
step(process.execPath, "scripts/build.mjs", "test")

const long = "/chaos/tenths/"
const isWanted = (file) => (words.length === 0 ? isLong || !file.includes(long) : words.some((word) => file.includes(word)))
const files = filesBelow(".build/test")
  .filter((file) => file.endsWith(".test.js") && isWanted(file))
  .map((file) => resolve(file))
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --enable-source-maps`

const count = (isFailure) => (event) => {
  // Suites and the per-file wrapper repeat what their tests say; a wrapper that failed by itself (a crash) still counts.
  const isLeaf = event.details?.type !== "suite" && !files.includes(event.name)
  const isCrash = isFailure && files.includes(event.name) && event.details?.error?.failureType !== "subtestsFailed"
  if (!isLeaf && !isCrash) return
  if (isFailure) failed++
  else passed++
}

function runAll(some, concurrency) {
  return new Promise((resolve) => {
    if (some.length === 0) return resolve()
    const events = run({ files: some, concurrency })
    events.on("test:pass", count(false))
    events.on("test:fail", count(true))
    events.on("end", () => setImmediate(resolve))
    events.compose(new spec()).pipe(process.stdout, { end: false })
  })
}

// Those that measure what real processes do in real time have the machine to themselves.
const alone = [long, "/simulate/processes.test.js", "/processes/calls-cut.test.js"]
const isAlone = (file) => alone.some((part) => file.includes(part))
// One server of a kind for all: each test keeps to a namespace or a schema of its own. It ends with this process.
if (!process.env.SLUICE_TEST_REDIS_URL) {
  const { startRedis } = await import("../.build/test/engines/redis.js")
  process.env.SLUICE_TEST_REDIS_URL = (await startRedis()).url
}
if (!process.env.SLUICE_TEST_POSTGRES_URL) {
  const { startPostgres } = await import("../.build/test/engines/postgres.js")
  process.env.SLUICE_TEST_POSTGRES_URL = (await startPostgres()).url
}
if (!process.env.SLUICE_TEST_S3_URL) {
  const { startCeph } = await import("../.build/test/engines/ceph.js")
  process.env.SLUICE_TEST_S3_URL = (await startCeph()).url
}
// One that has to be installed is so once, before the test files that all want it.
if (files.some((file) => file.includes("/test/browser/"))) {
  const { findChromium } = await import("../.build/test/engines/chromium.js")
  process.env.SLUICE_TEST_CHROMIUM = findChromium()
}
await runAll(
  files.filter((file) => !isAlone(file)),
  Math.max(1, availableParallelism()),
)
await runAll(files.filter(isAlone), 1)
finish(passed, failed)
