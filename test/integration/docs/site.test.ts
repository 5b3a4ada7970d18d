// The site: every link of every page leads somewhere, every page can be reached, and nothing is loaded from elsewhere.

import { deepEqual, ok } from "node:assert/strict"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, normalize, resolve } from "node:path"
import { after, describe, it } from "node:test"
import { pathToFileURL } from "node:url"
import { pages as sources } from "../../unit/docs/pages.ts"

const { buildSite }: { buildSite: (folder: string) => string[] } = await import(pathToFileURL(resolve("scripts/site/build.mjs")).href)
const folder = mkdtempSync(join(tmpdir(), "sluice-site-"))
after(() => rmSync(folder, { recursive: true, force: true }))

const pages = new Map(buildSite(folder).map((page) => [page, readFileSync(join(folder, page), "utf8")]))
const idsOf = (html: string) => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = ""]) => id)
const valuesOf = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, value = ""]) => value)

function problemsOf(page: string, html: string): string[] {
  return valuesOf(html, / (?:href|src|srcset)="([^"]*)"/g)
    .filter((link) => !/^[a-z]+:/.test(link))
    .flatMap((link) => {
      const [path = "", anchor] = link.split("#")
      const target = path === "" ? page : normalize(join(dirname(page), path))
      if (!existsSync(join(folder, target))) return [`${page}: ${link}: no such file`]
      if (anchor === undefined) return []
      return idsOf(pages.get(target) ?? "").includes(anchor) ? [] : [`${page}: ${link}: no such heading`]
    })
}

describe("the site", () => {
  it("has every page that people read", () => {
    ok(pages.size > 50)
    deepEqual(pages.size, [...sources().keys()].length)
  })

  it("has no link that leads nowhere", () => {
    deepEqual(
      [...pages].flatMap(([page, html]) => problemsOf(page, html)),
      [],
    )
  })

  it("has every page in its navigation, once", () => {
    for (const [page, html] of pages) {
      const nav = html.slice(html.indexOf("<nav"), html.indexOf("</nav>"))
      const linked = valuesOf(nav, /href="([^"]*)"/g).map((link) => normalize(join(dirname(page), link)))
      deepEqual(linked.sort(), [...pages.keys()].sort(), page)
    }
  })

  it("loads nothing from elsewhere, and runs nothing", () => {
    for (const [page, html] of pages) {
      const loaded = valuesOf(html, /(?:src|srcset)="([^"]*)"|<link [^>]*href="([^"]*)"/g)
      deepEqual(
        loaded.filter((link) => /^([a-z]+:)?\/\//.test(link)),
        [],
        page,
      )
      ok(!/<script|<iframe|<object|style="| on\w+="/i.test(html.replace(/<code>[\s\S]*?<\/code>/g, "")), page)
    }
    ok(!/url\(|@import/.test(readFileSync(join(folder, "style.css"), "utf8")))
  })

  it("gives each heading of a page an anchor of its own", () => {
    for (const [page, html] of pages) deepEqual(idsOf(html).length, new Set(idsOf(html)).size, page)
  })

  it("would be found to have a link that leads nowhere", () => {
    deepEqual(
      problemsOf("index.html", '<a href="docs/nowhere.html"> <a href="docs/tutorial.html#nothing"> <a href="https://example.com">'),
      ["index.html: docs/nowhere.html: no such file", "index.html: docs/tutorial.html#nothing: no such heading"],
    )
  })
})
