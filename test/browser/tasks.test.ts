// Many tasks at once: filtered, chosen, cancelled, run again; and one found by its id.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { openDesk, useBrowser } from "./desk.ts"

describe("tasks on the dashboard", () => {
  const browser = useBrowser()

  it("are cancelled in bulk by a filter, more than fit on a page, and chosen ones are run again", async (test) => {
    const desk = await openDesk(test, browser())
    const { queue, page } = desk
    await queue.submitMany(
      "wanted",
      Array.from({ length: 120 }, (_, i) => ({ i })),
    )
    await queue.submitMany(
      "unwanted",
      Array.from({ length: 620 }, (_, i) => ({ i })),
    )
    await desk.show("#/tasks?status=pending")
    await page.locator(".chip-link.here", { hasText: "740" }).waitFor()
    await page.getByLabel("Type").fill("unwanted")
    await page.getByRole("button", { name: "Filter" }).click()
    await page.getByText("1 to 50, newest first").waitFor()
    await page.getByRole("button", { name: "Older" }).click()
    await page.getByText("51 to 100, newest first").waitFor()

    await page.getByRole("button", { name: "Cancel all that match" }).click()
    await page.getByRole("dialog").getByText("Every pending task of type unwanted.").waitFor()
    await page.getByRole("dialog").getByRole("button", { name: "Cancel all" }).click()
    await page.getByRole("status").getByText("620 tasks cancelled.").waitFor()
    await page.locator(".chip-link.here", { hasText: "120" }).waitFor()
    const counts = await queue.counts()
    assert.deepEqual([counts.pending, counts.cancelled], [120, 620])

    await page.getByRole("link", { name: "cancelled 620" }).click()
    const ticks = page.getByRole("checkbox", { name: /^Choose [0-9a-f-]+$/ })
    await ticks.nth(49).waitFor()
    await ticks.nth(0).check()
    await ticks.nth(1).check()
    await page.getByRole("button", { name: "Retry 2" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Retry 2" }).click()
    await page.getByRole("status").getByText("2 tasks run again.").waitFor()
    await page.getByRole("link", { name: "cancelled 618" }).waitFor()
  })

  it("are found by their id from everywhere", async (test) => {
    const desk = await openDesk(test, browser(), { expected: /status of 404/ })
    const { page, queue } = desk
    const task = await queue.submit("call", { a: 1 })
    await desk.show("#/workers")
    const find = async (text: string) => {
      await page.keyboard.press("/")
      await page.keyboard.type(text)
      await page.keyboard.press("Enter")
    }
    await find(task.id)
    await page.getByRole("heading", { level: 1, name: "call" }).waitFor()
    await find("nobody")
    await page.getByRole("status").getByText('nothing is called "nobody"').waitFor()
  })
})
