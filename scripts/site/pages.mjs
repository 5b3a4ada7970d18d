// The pages of the site: every page of the repository that people read, where it goes, and in which part of the navigation it stands.
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { filesBelow } from "../files.mjs"

const top = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"]

/** The first that fits; what fits none is reached from other pages alone. */
const parts = [
  [
    "Start",
    /^(README|docs\/tutorial|examples\/README|docs\/reliability|docs\/upgrading|CHANGELOG)\.md$|^docs\/(tutorial|reliability|upgrading)\.md$/,
  ],
  ["Guides", /^docs\/guides\//],
  ["Reference", /^docs\/reference\//],
  ["Stories", /^examples\//],
  ["Internals", /^docs\/internals\/|^CONTRIBUTING\.md$/],
  ["Figures", /^bench\//],
]

/** In the order in which the README speaks of them; those that it does not name come last. */
export function readPages() {
  // Below bench there are packages of others once a benchmark has run.
  const isPage = (path) => path.endsWith(".md") && !path.includes("node_modules")
  const paths = [...top, ...["docs", "examples", "bench"].flatMap(filesBelow).filter(isPage)]
  const readme = readFileSync("README.md", "utf8")
  const more = readme.slice(readme.indexOf("## More"))
  const place = (path) => [more, readme].map((text) => text.indexOf(`(${path}`)).find((at) => at !== -1) ?? Number.POSITIVE_INFINITY
  return paths
    .map((path) => ({ path, place: path === "README.md" ? -1 : place(path), ...read(path) }))
    .sort((a, b) => (a.place === b.place ? a.path.localeCompare(b.path) : a.place - b.place))
}

function read(path) {
  const text = readFileSync(path, "utf8")
  const title = (/^# (.*)$/m.exec(text)?.[1] ?? path).replaceAll("`", "")
  return { text, title, target: targetOf(path), part: parts.find(([, pattern]) => pattern.test(path))?.[0] ?? null }
}

export const partNames = parts.map(([name]) => name)

/** A README is what a folder shows. */
export function targetOf(path) {
  return path.replace(/(^|\/)README\.md$/, "$1index.md").replace(/\.md$/, ".html")
}

/** Where a link of a page leads: another page, a file of the repository, or elsewhere (null). */
export function resolveLink(from, link) {
  if (/^[a-z]+:|^#/i.test(link)) return null
  const [file, anchor] = link.split("#")
  const path = normalize(join(dirname(from), file)).replace(/\/$/, "")
  const page = [path, join(path, "README.md")].find((one) => one.endsWith(".md") && existsSync(one))
  return { path: page ?? path, isPage: page !== undefined, anchor: anchor === undefined ? "" : `#${anchor}` }
}
