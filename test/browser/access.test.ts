// Tokens: asked for, kept by the tab alone, never in an address; whoever may only look is offered no change.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, defineTask } from "../../src/queue/index.ts"
import { openDesk, useBrowser } from "./desk.ts"

const token = "0123456789abcdef0123456789abcdef"
const readToken = "fedcba9876543210fedcba9876543210"

describe("the dashboard of a server with tokens", () => {
  const browser = useBrowser()

  it("asks for one, says when it is wrong, and keeps it out of addresses and beyond the tab", async (test) => {
    const desk = await openDesk(test, browser(), { http: { token, readToken }, expected: /status of 401/ })
    const { page, server } = desk
    const asked: string[] = []
    page.on("request", (request) => asked.push(request.url()))
    const give = async (text: string) => {
      await page.getByLabel("Token").fill(text)
      await page.getByRole("button", { name: "Continue" }).click()
    }
    await page.goto(`${server.url}/#/tasks`)
    await give("wrong".repeat(8))
    await page.getByRole("alert").getByText("does not know the token").waitFor()
    await give(token)
    await page.getByText("Live", { exact: true }).waitFor()
    await page.reload()
    await page.getByText("Live", { exact: true }).waitFor()
    assert.equal(await page.evaluate("localStorage.length"), 0)
    assert.equal(await page.evaluate("document.cookie"), "")
    assert.deepEqual(
      asked.filter((url) => url.includes(token)),
      [],
    )

    const other = await page.context().newPage()
    await other.goto(server.url)
    await other.getByRole("heading", { name: "This server wants a token" }).waitFor()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByRole("heading", { name: "This server wants a token" }).waitFor()
    assert.equal(await page.evaluate("sessionStorage.length"), 0)
  })

  it("offers no change to one that may only look, and the server refuses it", async (test) => {
    const vendor = defineLimit("vendor", { rate: "10/1s" })
    const call = defineTask("call", { limits: [vendor()], run: () => Promise.reject(new Error("no")), maxRetries: 0 })
    const desk = await openDesk(test, browser(), { http: { token, readToken }, tasks: [call], expected: /status of 40[13]/ })
    const { page, server, queue } = desk
    const task = await queue.submit(call, {})
    await queue.submitJob("nightly", [{ task: call, input: {} }])
    await queue.schedule("hourly", "0 * * * *", {}, call, {})
    await page.goto(server.url)
    await page.getByLabel("Token").fill(readToken)
    await page.getByRole("button", { name: "Continue" }).click()
    await page.getByText("read only").waitFor()
    const shown: Readonly<Record<string, string>> = {
      "#/limits": "vendor",
      "#/limits/vendor": "What holds",
      "#/tasks": "newest first",
      [`#/tasks/${task.id}`]: "What became of it",
      "#/jobs": "nightly",
      "#/schedules": "hourly",
    }
    for (const [hash, text] of Object.entries(shown)) {
      await page.goto(`${server.url}/${hash}`)
      await page.locator("main").getByText(text).first().waitFor()
      const words = await page.locator("main").getByRole("button").allTextContents()
      const changes = words.filter((word) => !["Filter", "Newer", "Older"].includes(word))
      assert.deepEqual(changes, [], `of ${hash}`)
      assert.equal(await page.locator("main").locator("summary, input[type=checkbox]").count(), 0)
    }
    const status = await page.evaluate(`fetch("api/v1/limits/vendor/pause", {
      method: "POST",
      headers: { authorization: "Bearer ${readToken}", "content-type": "application/json" },
      body: "{}",
    }).then((response) => response.status)`)
    assert.equal(status, 403)
  })
})
