// For everybody: every page is checked by axe, light and dark, and works with a keyboard and on a phone.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { describe, it } from "node:test"
import { openDesk, useBrowser } from "./desk.ts"
import { openFurnished, openPage } from "./furnished.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const violations = "axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))"

describe("the dashboard for everybody", () => {
  const browser = useBrowser()

  for (const colorScheme of ["light", "dark"] as const) {
    it(`passes axe on every page, ${colorScheme}`, async (test) => {
      const { desk, pages } = await openFurnished(test, browser(), { colorScheme })
      for (const hash of pages) {
        await openPage(desk, hash)
        await desk.page.evaluate(axe)
        assert.deepEqual(await desk.page.evaluate(violations), [], `of ${hash}`)
      }
    })
  }

  it("has no page that scrolls sideways on a phone", async (test) => {
    const { desk, pages } = await openFurnished(test, browser(), { viewport: { width: 360, height: 740 } })
    for (const hash of pages) {
      await openPage(desk, hash)
      const widths = await desk.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
      assert.deepEqual(widths, [360, 360], `of ${hash}`)
    }
  })

  it("shows on a phone where one is, and what stands in a card beside its label", async (test) => {
    const { desk, pages } = await openFurnished(test, browser(), { viewport: { width: 360, height: 740 } })
    for (const hash of pages) {
      await openPage(desk, hash)
      const isHereSeen =
        "(({ left, right }) => left >= 0 && Math.floor(right) <= innerWidth)(document.querySelector('.top nav .here').getBoundingClientRect())"
      assert.equal(await desk.page.evaluate(isHereSeen), true, `of ${hash}`)
      const below =
        "[...document.querySelectorAll('.cards td[data-label] > *')].filter((one) => one.getBoundingClientRect().left < one.parentElement.getBoundingClientRect().left + 90).map((one) => one.outerHTML)"
      assert.deepEqual(await desk.page.evaluate(below), [], `of ${hash}`)
    }
  })

  it("lets a keyboard reach a gate's menu, leave its dialog, come back and confirm it", async (test) => {
    const { desk } = await openFurnished(test, browser())
    const { page } = desk
    await openPage(desk, "#/limits/vendor")
    const row = page.getByRole("row", { name: /^a / })
    await row.waitFor()
    const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent")
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 60 && (await focused()) !== name; presses++) await page.keyboard.press("Tab")
      assert.equal(await focused(), name)
    }
    const ask = async () => {
      await tabTo("Change vendor/a")
      await page.keyboard.press("Enter")
      await tabTo("Pause")
      await page.keyboard.press("Enter")
      await page.getByRole("dialog", { name: "Pause vendor/a?" }).waitFor()
    }
    await ask()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await ask()
    await tabTo("Pause")
    await page.keyboard.press("Enter")
    await row.getByText("paused").waitFor()
  })

  it("keeps the colours that were chosen", async (test) => {
    const desk = await openDesk(test, browser())
    const { page } = desk
    await desk.show("#/")
    const ground = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    const light = await ground()
    await page.getByLabel("Colours").selectOption("dark")
    const dark = await ground()
    assert.notEqual(dark, light)
    await page.reload()
    await page.getByText("Live", { exact: true }).waitFor()
    assert.equal(await ground(), dark)
  })
})
