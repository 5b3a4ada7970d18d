// The documentation as a site: `npm run site` writes it to the folder site, plain files that any server can send and that open from a disk.
// No script, and nothing from elsewhere.
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { partNames, readPages } from "./pages.mjs"
import { escaped, renderPage } from "./render.mjs"

export function buildSite(folder) {
  const pages = readPages()
  const files = new Set()
  rmSync(folder, { recursive: true, force: true })
  for (const page of pages) {
    const file = join(folder, page.target)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, whole(page, pages, renderPage(page, files)))
  }
  for (const path of files) copy(path, folder, pages)
  cpSync("scripts/site/style.css", join(folder, "style.css"))
  cpSync("src/dashboard/icon.svg", join(folder, "icon.svg"))
  return pages.map(({ target }) => target)
}

/** What a page links to and is none itself: the file, or a folder with a list of what is in it. */
function copy(path, folder, pages) {
  cpSync(path, join(folder, path), { recursive: true })
  if (statSync(path).isFile()) return
  const items = readdirSync(path).map((name) => `<li><a href="${escaped(name)}">${escaped(name)}</a></li>`)
  const page = { path, title: path, target: join(path, "index.html"), part: null }
  writeFileSync(join(folder, page.target), whole(page, pages, `<h1>${escaped(path)}</h1>\n<ul>\n${items.join("\n")}\n</ul>\n`))
}

function whole(page, pages, content) {
  const to = (target) => escaped(relative(dirname(page.target), target))
  const title = page.path === "README.md" ? "Sluice: a durable task queue with rate limits" : `${page.title} · Sluice`
  const link = (other) =>
    `<li><a href="${to(other.target)}"${other === page ? ' aria-current="page"' : ""}>${escaped(other.path === "README.md" ? "Overview" : other.title)}</a></li>`
  const part = (name) => {
    const inside = pages.filter((other) => other.part === name)
    return `<details${name === "Start" || page.part === name ? " open" : ""}><summary>${name}</summary><ul>\n${inside.map(link).join("\n")}\n</ul></details>`
  }
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="${to("icon.svg")}">
<link rel="stylesheet" href="${to("style.css")}">
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header><a href="${to("index.html")}">Sluice</a><a class="pages" href="#pages">Pages</a></header>
<nav aria-label="Pages" id="pages">
${partNames.map(part).join("\n")}
</nav>
<main id="content">
${content}</main>
</body>
</html>
`
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const made = buildSite("site")
  console.log(`${made.length} pages in site/; open site/index.html`)
}
