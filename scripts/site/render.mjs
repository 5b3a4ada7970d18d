// A page as HTML: headings with the anchors that links mean, links to pages and files of the site, tables that scroll by themselves, and
// pictures in the reader's colours.
import { existsSync, statSync } from "node:fs"
import { dirname, relative } from "node:path"
import { Marked } from "marked"
import { resolveLink, targetOf } from "./pages.mjs"

/** `files` gathers what is linked to and is no page. */
export function renderPage(page, files) {
  const ids = new Set()
  const to = (target) => relative(dirname(page.target), target) || "."
  const hrefOf = (link) => {
    const found = resolveLink(page.path, link)
    if (!found) return link
    if (found.isPage) return to(targetOf(found.path)) + found.anchor
    files.add(found.path)
    return to(statSync(found.path).isDirectory() ? `${found.path}/index.html` : found.path)
  }
  // There both stand beside each other.
  let inTable = false
  const renderer = {
    heading({ tokens, depth }) {
      const html = this.parser.parseInline(tokens)
      const id = unique(ids, anchorOf(html))
      return `<h${depth} id="${id}">${html}</h${depth}>\n`
    },
    link({ href, tokens }) {
      return `<a href="${escaped(hrefOf(href))}">${this.parser.parseInline(tokens)}</a>`
    },
    image({ href, text }) {
      const dark = href.replace("-light.png", "-dark.png")
      const picture = `<img src="${escaped(hrefOf(href))}" alt="${escaped(text)}">`
      const isBoth = !inTable && dark !== href && existsSync(resolveLink(page.path, dark)?.path ?? "")
      return isBoth
        ? `<picture><source media="(prefers-color-scheme: dark)" srcset="${escaped(hrefOf(dark))}">${picture}</picture>`
        : picture
    },
    code({ text }) {
      // A keyboard has to reach what scrolls.
      return `<pre tabindex="0"><code>${escaped(text)}\n</code></pre>\n`
    },
    table({ header, rows }) {
      inTable = true
      const cells = (row, tag) => row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join("")
      const body = rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n")
      const head = header.some(({ text }) => text !== "")
        ? `<thead><tr>${cells(header, "th").replaceAll("<th></th>", "<td></td>")}</tr></thead>\n`
        : ""
      inTable = false
      return `<div class="wide" tabindex="0" role="group" aria-label="Table">\n<table>\n${head}<tbody>\n${body}\n</tbody></table></div>\n`
    },
  }
  return new Marked({ gfm: true, renderer }).parse(page.text)
}

/** As those who show pages make them of headings; test/unit/docs/links.test.ts has the same rule. */
function anchorOf(html) {
  const text = html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-")
}

function unique(ids, wanted) {
  let id = wanted
  for (let n = 1; ids.has(id); n++) id = `${wanted}-${n}`
  ids.add(id)
  return id
}

export function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
}
