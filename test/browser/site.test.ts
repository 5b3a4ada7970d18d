// The site for everybody: pages of each kind are checked by axe, light and dark, and none scrolls sideways on a phone.

import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { after, describe, it } from "node:test"
import { pathToFileURL } from "node:url"
import { useBrowser } from "./desk.ts"

const { buildSite }: { buildSite: (folder: string) => string[] } = await import(pathToFileURL(resolve("scripts/site/build.mjs")).href)
const folder = mkdtempSync(join(tmpdir(), "sluice-site-"))
after(() => rmSync(folder, { recursive: true, force: true }))
const pages = buildSite(folder)

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const violations = "axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))"
const urlOf = (page: string) => pathToFileURL(join(folder, page)).href

describe("the site for everybody", () => {
  const browser = useBrowser()

  for (const colorScheme of ["light", "dark"] as const) {
    it(`passes axe, ${colorScheme}`, async () => {
      const context = await browser().newContext({ colorScheme })
      const page = await context.newPage()
      for (const one of ["index.html", "docs/tutorial.html", "docs/reference/cli.html", "examples/ocr/index.html", "CHANGELOG.html"]) {
        await page.goto(urlOf(one))
        await page.evaluate(axe)
        assert.deepEqual(await page.evaluate(violations), [], `of ${one}`)
      }
      await context.close()
    })
  }

  it("has no page that scrolls sideways on a phone", async () => {
    const page = await browser().newPage({ viewport: { width: 360, height: 740 } })
    for (const one of pages) {
      await page.goto(urlOf(one))
      assert.deepEqual(await page.evaluate("[document.documentElement.scrollWidth, innerWidth]"), [360, 360], `of ${one}`)
    }
    await page.close()
  })
})
