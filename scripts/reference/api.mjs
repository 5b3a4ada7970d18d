// docs/reference/api.md: what the package exports, from the declarations that it publishes. `npm run reference:api` writes it.
import { writeFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { declarationsOf } from "./declarations.mjs"

const intro = `# TypeScript

What the package exports, made from its declarations; a test holds this page to them. How things work together is in the [tutorial](../tutorial.md) and in the guides; every default
is in the [configuration](configuration.md). An option that is not known is refused, with the nearest that is.
`

/** The names of "sluice", by what they are about: the first that fits. */
const groups = [
  ["Connecting, and the queue", "", /^(connect|ConnectOptions|Queue|QueueEvents|WorkerView|StoreDescription)$/],
  [
    "Configuration",
    "For `sluice.config.ts`: [where settings come from](configuration.md#where-settings-come-from).",
    /^(defineConfig|Config)$/,
  ],
  ["Jobs", "[Guide](../guides/jobs.md).", /^Jobs?([A-Z]|$)/],
  ["Schedules", "[Guide](../guides/schedules.md).", /^(Schedule|SavedSchedule|CatchUp|UpcomingOptions)/],
  ["Explanation and forecast", "[Guide](../guides/explain-and-forecast.md).", /^(TaskExplanation|ExplainedGate|TaskForecast|Forecast)/],
  ["Simulation", "[Guide](../guides/simulate.md).", /^(simulate|Simulat|Binding|OneMore|Waits|LimitUse)/],
  ["Limits outside the queue", "[Guide](../guides/limits-outside-the-queue.md).", /^(LimitCalls|AcquireOptions|Call|Slot|TryOptions)/],
  ["Errors", "[What each code means](errors.md).", /(Error|ErrorCode)$|^(RateLimitOptions|RescheduleOptions)$/],
  ["Handlers", "What a task is run with.", /^(Context|FetchOptions|Observe|SpentOptions|Log|Handler)/],
  [
    "Limits and gates",
    "[Guide](../guides/limits.md), and [how they learn](../guides/adaptive-limits.md).",
    /Limit|Gate|Rate|Adaptive|Scout|Linear|Policy|Provider|Learned|Teach|LoggedChange/,
  ],
  ["Workers", "[Deploying](../guides/deploying.md).", /^(Worker|RunOptions)/],
  ["Tasks", "", /Task|Submit|HistoryItem|ListOptions|Status/],
  ["Units", "", /^(Duration|Instant|Size)$/],
]

/** Other entries of the package. */
const entries = [
  [
    "sluice/http",
    "dist/http/index.d.ts",
    "The [server](../guides/server.md), for a process of your own.",
    /^(serve|ServeOptions|SluiceServer|httpApp|HttpApp|HttpOptions|LogLine)$/,
  ],
  ["sluice/metrics", "dist/http/metrics/index.d.ts", "[Metrics](metrics.md) without a server.", /^(metrics|Metrics|MetricsOptions)$/],
  ["sluice/telemetry", "dist/telemetry/index.d.ts", "OpenTelemetry.", /./],
  [
    "sluice/testing",
    "dist/testing/index.d.ts",
    "[Testing your tasks](../guides/testing.md), and stores of your own.",
    /^(testQueue|TestQueue|TestQueueOptions|VirtualWorld|VirtualWorldOptions|sleepUntilEmpty|SleepOptions|describeStore|faultyStore)$/,
  ],
]

export function apiPage() {
  const all = declarationsOf("dist/index.d.ts")
  const groupOf = ({ name }) => groups.find(([, , pattern]) => pattern.test(name))
  const lost = all.filter((one) => !groupOf(one)).map(({ name }) => name)
  if (lost.length > 0) throw new Error(`reference: expected a group for ${lost.join(", ")}; see scripts/reference/api.mjs`)
  const own = groups.map((group) =>
    section(
      group[0],
      group[1],
      all.filter((one) => groupOf(one) === group),
    ),
  )
  const others = entries.map(([name, file, text, wanted]) =>
    section(
      `\`${name}\``,
      text,
      declarationsOf(file).filter((one) => wanted.test(one.name)),
    ),
  )
  return [intro, ...own, ...others].join("\n")
}

/** What is called first, then what it takes and gives. */
const order = ["function", "const", "class", "interface", "type"]

function section(title, text, found) {
  const sorted = [...found].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || a.name.localeCompare(b.name))
  return [`## ${title}\n`, ...(text === "" ? [] : [`${text}\n`]), ...sorted.map(entryOf)].join("\n")
}

function entryOf({ name, comment, code }) {
  return [
    `### ${name}\n`,
    ...(comment === "" ? [] : [`${comment}\n`]),
    "```typescript",
    code.replace(/^ {4,}/gm, (spaces) => " ".repeat(spaces.length / 2)),
    "```\n",
  ].join("\n")
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) writeFileSync("docs/reference/api.md", apiPage())
