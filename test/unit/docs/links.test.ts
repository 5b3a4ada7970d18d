// Every link from page to page leads somewhere: to a file that is there, and to a heading that it has.

import { deepEqual, ok } from "node:assert/strict"
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { it } from "node:test"
import { pages } from "./pages.ts"

/** As those who show pages make them of headings. */
function anchorsOf(page: string): Set<string> {
  const text = page.replace(/^```[\s\S]*?^```/gm, "")
  const anchor = (heading: string) =>
    heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-")
  return new Set([...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchor(heading)))
}

function problemsOf(path: string, page: string): string[] {
  const text = page.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "")
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link)
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .flatMap((link) => {
      const [file = "", anchor] = link.split("#")
      const target = file === "" ? path : normalize(join(dirname(path), file))
      if (!existsSync(target)) return [`${path}: ${link}: no such file`]
      if (anchor === undefined) return []
      if (statSync(target).isDirectory()) return [`${path}: ${link}: a folder has no headings`]
      return anchorsOf(readFileSync(target, "utf8")).has(anchor) ? [] : [`${path}: ${link}: no such heading`]
    })
}

it("every relative link of every page leads somewhere", () => {
  const all = pages()
  ok(all.size > 20)
  deepEqual(
    [...all].flatMap(([path, page]) => problemsOf(path, page)),
    [],
  )
})

it("a link that leads nowhere is found", () => {
  deepEqual(
    problemsOf("docs/x.md", "[a](nowhere.md) [b](tutorial.md#nothing) [c](tutorial.md#1-install) `[d](e)` [f](https://example.com)"),
    ["docs/x.md: nowhere.md: no such file", "docs/x.md: tutorial.md#nothing: no such heading"],
  )
})
