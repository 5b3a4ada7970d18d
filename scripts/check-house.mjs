// The rules of the house that a type checker does not know: who may import whom (docs/internals/contract.md and the folders'
// order), and that clock, timers, randomness and network are touched in src/world alone.
import { readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { filesBelow } from "./files.mjs"

/** What each folder under src may import, besides itself. Queue and worker are one layer: a queue makes workers, a worker runs what a queue defines. */
const mayImport = {
  errors: [],
  world: [],
  units: ["errors"],
  task: ["errors", "units"],
  quota: ["errors", "units"],
  limits: ["errors", "units", "task", "quota"],
  simulate: ["errors", "units", "task", "limits"],
  cron: ["errors", "units", "task"],
  store: ["errors", "units", "task", "quota", "limits", "world"],
  stores: ["errors", "units", "task", "quota", "limits", "store", "world"],
  queue: ["errors", "units", "task", "quota", "limits", "simulate", "cron", "store", "world", "stores", "worker"],
  worker: ["errors", "units", "task", "quota", "limits", "cron", "store", "world", "queue"],
  http: ["errors", "units", "task", "quota", "limits", "store", "world", "queue", "worker"],
  cli: ["errors", "units", "task", "quota", "limits", "simulate", "cron", "store", "world", "queue", "worker", "http", "index.ts"],
  // It runs in a browser and speaks HTTP: nothing of what runs in a server is part of it.
  dashboard: [],
  telemetry: ["errors", "task", "queue", "http"],
  testing: ["errors", "units", "task", "quota", "limits", "cron", "store", "stores", "world", "queue", "worker", "index.ts"],
}
/** Pure: no platform module at all. */
const pure = ["dashboard", "errors", "units", "task", "quota", "limits", "simulate", "cron"]
/** What judges imports nothing of what is judged. */
const judge = "src/testing/checker/"
// Stores do not know each other, but for S3, which is the reference store replicated.
/** Concrete stores are named by the resolver only, and by dynamic import. */
const resolver = "src/queue/resolve.ts"

/** The dashboard has no World: this one file of it touches clock, timers, chance and network. */
const dashboardSeam = "src/dashboard/browser.ts"
/** Payloads are only ever text. */
const markup = /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|createContextualFragment)\b/

const seam = [
  [/\bDate\.now\b/, "Date.now"],
  [/\bnew Date\(\)/, "new Date()"],
  [/\bperformance\.now\b/, "performance.now"],
  [/\bMath\.random\b/, "Math.random"],
  [/\b(setTimeout|setInterval|setImmediate)\b/, "a timer"],
  [/\b(randomUUID|randomFillSync|randomInt|getRandomValues)\b/, "randomness"],
  // A method of that name is declared with the types of its arguments.
  [/(?<![.\w]|\bget )fetch\((?!\w+\??:)/, "fetch"],
  [/["']node:timers/, "node:timers"],
]

export function problemsIn(path, text) {
  const problems = []
  const folder = path.split("/")[1]
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1")
  if (folder !== "world" && path !== dashboardSeam) {
    for (const [pattern, name] of seam)
      if (pattern.test(code)) problems.push(`${path}: uses ${name}; take it from the World that is handed in`)
  }
  if (folder === "dashboard" && markup.test(code)) problems.push(`${path}: writes HTML; what is shown is text`)
  if (folder !== "cli" && /\bconsole\./.test(code)) problems.push(`${path}: uses console; only the CLI prints`)
  for (const [, dynamic, wanted] of code.matchAll(/(?:from|import)\s*(\()?\s*["']([^"']+)["']/g))
    problems.push(...importProblems(path, folder, wanted, dynamic === "("))
  return problems
}

function importProblems(path, folder, wanted, isDynamic) {
  if (wanted.startsWith("node:")) return pure.includes(folder) ? [`${path}: imports ${wanted}; ${folder} is pure`] : []
  if (!wanted.startsWith(".")) return []
  const target = relative("src", join(dirname(path), wanted)).split("/")
  if (target[0] === "..") return [`${path}: imports ${wanted} from outside src`]
  if (path === "src/index.ts") return []
  if (path.startsWith(judge))
    return join("src", ...target).startsWith(judge) ? [] : [`${path}: imports ${wanted}; the history checker imports nothing but itself`]
  if (target[0] === folder) {
    const [mine, theirs] = [path.split("/")[2], target[1]]
    const isReplica = mine === "s3" && theirs === "memory"
    return folder === "stores" && mine !== theirs && !isReplica
      ? [`${path}: imports the store ${theirs}; stores do not know each other`]
      : []
  }
  if (target[0] === "stores" && folder !== "testing" && (path !== resolver || !isDynamic))
    return [`${path}: imports a concrete store; only ${resolver} does, by dynamic import`]
  return mayImport[folder]?.includes(target[0])
    ? []
    : [`${path}: imports ${target[0]}; ${folder} may import ${mayImport[folder]?.join(", ") || "nothing"}`]
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const sources = filesBelow("src").filter((path) => /\.tsx?$/.test(path))
  const problems = sources.flatMap((path) => problemsIn(path, readFileSync(path, "utf8")))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exit(1)
}
