// Limits are changed on the page, and the queue does what it was told.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, defineTask } from "../../src/queue/index.ts"
import { openDesk, useBrowser } from "./desk.ts"
import { Held } from "./held.ts"

describe("limits on the dashboard", () => {
  const browser = useBrowser()

  it("are paused, and their tasks stop; resumed, and they go on", async (test) => {
    const held = new Held()
    const turnstile = defineLimit("turnstile", { concurrency: 1 })
    const pass = defineTask("pass", { limits: [turnstile()], run: ({ name }: { name: string }) => held.run(name) })
    const free = defineTask("free", { run: () => Promise.resolve("free") })
    const desk = await openDesk(test, browser(), { tasks: [pass, free], held })
    const { queue, page } = desk
    const first = await queue.submit(pass, { name: "first" })
    await queue.submit(pass, { name: "second" })
    await desk.show("#/limits/turnstile")
    const state = page.locator(".page-head .mark")
    await state.getByText("all slots taken").waitFor()

    await page.getByRole("button", { name: "Pause", exact: true }).click()
    await page.getByRole("dialog", { name: "Pause turnstile?" }).getByRole("button", { name: "Pause" }).click()
    await state.getByText("paused").waitFor()
    await page.getByRole("status").getByText("turnstile: paused.").waitFor()
    held.letGo("first")
    const completed = async (id: string) => {
      await page.goto(`${desk.server.url}/#/tasks/${id}`)
      await page.locator(".page-head .mark", { hasText: "completed" }).waitFor()
    }
    await completed(first.id)
    // The worker has room and takes what is submitted later: the gate alone keeps the second.
    await completed((await queue.submit(free, {})).id)
    assert.deepEqual(held.started, ["first"])

    await page.goto(`${desk.server.url}/#/limits/turnstile`)
    await page.getByRole("button", { name: "Resume", exact: true }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click()
    await state.getByText("all slots taken").waitFor()
    assert.deepEqual(held.started, ["first", "second"])
    await page.getByText("turnstile: resumed, by http").waitFor()
    held.letGo("second")
  })

  it("are edited, and the forecast of those who wait changes", async (test) => {
    const hourly = defineLimit("hourly", { rate: "1/1h" })
    const call = defineTask("call", { limits: [hourly("k")], run: () => Promise.resolve("called") })
    const desk = await openDesk(test, browser(), { tasks: [call], expected: /status of 400/ })
    const { queue, page } = desk
    const [, , third] = await queue.submitMany(call, [{}, {}, {}])
    await desk.show(`#/tasks/${third?.id}`)
    const countdown = page.getByTestId("countdown")
    await countdown.getByText(/^(2h|1h 59m)/).waitFor()

    const edit = async (rate: string) => {
      await page.goto(`${desk.server.url}/#/limits/hourly`)
      await page.getByRole("button", { name: "Edit", exact: true }).click()
      const dialog = page.getByRole("dialog", { name: "Edit hourly" })
      await dialog.getByLabel("Rate").fill(rate)
      await dialog.getByRole("button", { name: "Set" }).click()
    }
    await edit("1/fortnight")
    await page
      .getByRole("dialog")
      .getByRole("alert")
      .getByText(/expected a duration/)
      .waitFor()
    await page.keyboard.press("Escape")
    await edit("1/3h")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.getByText("set by hand").first().waitFor()
    await page.goto(`${desk.server.url}/#/tasks/${third?.id}`)
    await countdown.getByText(/^(6h|5h 59m)/).waitFor()
    await edit("5/1h")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.goto(`${desk.server.url}/#/tasks/${third?.id}`)
    await page.locator(".page-head .mark", { hasText: "completed" }).waitFor()
  })

  it("are closed for a while with a countdown, and reset, one gate at a time", async (test) => {
    const vendor = defineLimit("vendor", { rate: "10/1s" })
    const call = defineTask("call", { limits: ({ host }: { host: string }) => [vendor(host)], run: () => Promise.resolve("called") })
    const desk = await openDesk(test, browser(), { tasks: [call] })
    const { queue, page } = desk
    await queue.submitMany(call, [{ host: "one" }, { host: "two" }])
    await desk.show("#/limits/vendor")
    const row = page.getByRole("row", { name: /^one/ })
    const choose = async (word: string) => {
      await row.locator("summary").click()
      await row.getByRole("button", { name: word }).click()
    }
    await choose("Close")
    await page.getByRole("dialog").getByLabel("Until").fill("2h")
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click()
    await row.getByText("closed").waitFor()
    await row.locator(".countdown", { hasText: /^(2h|1h 59m)$/ }).waitFor()
    await page.getByRole("row", { name: /^two/ }).getByText("open").waitFor()
    await choose("Reset")
    await page.getByRole("dialog").getByRole("button", { name: "Reset" }).click()
    await row.getByText("open").waitFor()
  })
})
