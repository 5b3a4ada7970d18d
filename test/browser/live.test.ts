// What happens in the queue is seen on the page, without reloading it.

import { describe, it } from "node:test"
import { serve } from "../../src/http/index.ts"
import { connect, defineLimit, defineTask } from "../../src/queue/index.ts"
import { openDesk, useBrowser } from "./desk.ts"
import { Held } from "./held.ts"

describe("the dashboard, live", () => {
  const browser = useBrowser()
  const turnstile = defineLimit("turnstile", { concurrency: 1 })
  const passing = (held: Held) => defineTask("pass", { limits: [turnstile()], run: ({ name }: { name: string }) => held.run(name) })

  it("shows a task wait, run and finish", async (test) => {
    const held = new Held()
    const pass = passing(held)
    const desk = await openDesk(test, browser(), { tasks: [pass], held })
    const { queue, page } = desk
    await queue.submit(pass, { name: "first" })
    const second = await queue.submit(pass, { name: "second" })

    await desk.show(`#/tasks/${second.id}`)
    const status = (word: string) => page.locator(".page-head .mark", { hasText: word }).waitFor()
    await status("pending")
    await page.getByText("held by turnstile").waitFor()
    await page.getByText("Gate turnstile holds it").waitFor()

    held.letGo("first")
    await status("running")
    held.letGo("second")
    await status("completed")
    await page.getByText('"second done"').waitFor()
    await page.locator(".timeline b", { hasText: "claimed" }).waitFor()
    await page.locator(".timeline b", { hasText: "completed" }).waitFor()
  })

  it("counts down to the forecast by the server's clock, however wrong that of the browser is", async (test) => {
    const hourly = defineLimit("hourly", { rate: "1/1h" })
    const call = defineTask("call", { limits: [hourly()], run: () => Promise.resolve("called") })
    const desk = await openDesk(test, browser(), { tasks: [call] })
    const { queue, page } = desk
    await page.clock.install({ time: new Date("2031-01-01T00:00:00Z") })
    await queue.submit(call, {})
    const second = await queue.submit(call, {})
    await desk.show(`#/tasks/${second.id}`)
    await page
      .getByTestId("countdown")
      .getByText(/^(1h|59m \d+s|1h \d+s)$/)
      .waitFor()
  })

  it("shows counts, and what holds, on the overview", async (test) => {
    const held = new Held()
    const pass = passing(held)
    const desk = await openDesk(test, browser(), { tasks: [pass], held })
    const { queue, page } = desk
    await desk.show("#/")
    const tile = (name: string, value: string) =>
      page.locator(".tile", { hasText: name }).first().locator(".tile-value", { hasText: value }).waitFor()
    await tile("Waiting", "0")
    await queue.submitMany(pass, [{ name: "first" }, { name: "second" }, { name: "third" }])
    await tile("Waiting", "2")
    await tile("Running", "1")
    await page.locator("tr", { hasText: "At a gate" }).locator(".number", { hasText: "2" }).waitFor()
    await page.locator("tr", { hasText: "turnstile" }).getByText("all slots taken").waitFor()
    held.letGo("first")
    await tile("Waiting", "1")
  })

  it("says when it is not connected, and goes on by itself when the server is back", async (test) => {
    const desk = await openDesk(test, browser(), { expected: /net::ERR_/ })
    const { page } = desk
    await desk.show("#/tasks")
    const { port } = desk.server
    await desk.server.close()
    await page.getByRole("alert").getByText("what you see may be old").waitFor()
    const queue = await connect("memory:")
    await queue.submit("late", {})
    const again = await serve(queue, { port })
    test.after(async () => {
      await again.close()
      await queue.close()
    })
    await page.getByText("Live", { exact: true }).waitFor()
    await page.locator("td", { hasText: "late" }).first().waitFor()
  })
})
