// Payloads, names and errors are somebody else's: whatever they hold, they are text on the page and nothing else.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, defineTask } from "../../src/queue/index.ts"
import { openDesk, useBrowser } from "./desk.ts"

const mark = "window.hurt = true"
const corpus: readonly string[] = [
  `<script>${mark}</script>`,
  `<img src=x onerror="${mark}">`,
  `<svg/onload=${mark}>`,
  `"><iframe srcdoc="<script>parent.${mark}</script>">`,
  `javascript:${mark}`,
  "</pre></dd><style>*{display:none}</style>",
  `{{constructor.constructor('${mark}')()}}`,
  "<a href='javascript:alert(1)'>here</a>",
  "\u202Egnp.exe\u202C \u0007\u001B[31m \uFEFF 👩‍👩‍👧‍👦 z\u0351\u0352\u0353algo",
  "<!-- ]]> &lt;b&gt; </script><script> %3Cscript%3E",
  "x".repeat(200_000),
  "w i d e ".repeat(500),
]

describe("hostile payloads on the dashboard", () => {
  const browser = useBrowser()

  it("stay text: inputs, outputs, progress, errors, idempotency keys, keys of gates and of objects", async (test) => {
    const echo = defineTask("echo", {
      run: async (input: { text: string }, ctx) => {
        await ctx.progress({ at: input.text.slice(0, 1_000) })
        return { [input.text.slice(0, 100)]: input.text }
      },
    })
    const fail = defineTask("fail", { maxRetries: 0, run: ({ text }: { text: string }) => Promise.reject(new Error(text)) })
    const keyed = defineLimit("keyed", { rate: "1/1h" })
    const wait = defineTask("wait", { limits: ({ key }: { key: string }) => [keyed(key)], run: () => Promise.resolve() })
    const desk = await openDesk(test, browser(), { tasks: [echo, fail] })
    const { queue, page } = desk
    // What would change every object is not even taken in; what only looks like it is shown.
    await assert.rejects(queue.submit(echo, JSON.parse('{"__proto__": {"polluted": true}, "text": ""}')), /__proto__: expected no property/)
    const proto = { constructor: { prototype: { polluted: true } }, text: "proto" }
    const inputs = [...corpus.map((text) => ({ text })), proto]
    const tasks = [...(await queue.submitMany(echo, inputs)), ...(await queue.submitMany(fail, inputs))]
    await desk.show("#/tasks?status=completed")
    for (const [i, task] of tasks.entries()) {
      await page.goto(`${desk.server.url}/#/tasks/${task.id}`)
      await page.locator(".id", { hasText: task.id }).waitFor()
      await page.locator(".page-head .mark", { hasText: /completed|failed/ }).waitFor()
      const text = JSON.stringify(inputs[i % inputs.length]?.text).slice(1, 1_000)
      const shown = (await page.locator(".payload").first().textContent()) ?? ""
      assert.ok(shown.includes(text), `expected ${text.slice(0, 80)} as text, got ${shown.slice(0, 200)}`)
    }
    const key = `<img src=x onerror="${mark}">`
    const gated = await queue.submit(wait, { key }, { idempotencyKey: `<b title="${mark}">` })
    for (const hash of [`#/tasks/${gated.id}`, "#/limits/keyed", "#/limits", "#/tasks", "#/tasks?status=failed", "#/"]) {
      await page.goto(`${desk.server.url}/${hash}`)
      await page.locator("main .panel").first().waitFor()
      assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true, `${hash} scrolls sideways`)
      assert.equal(await page.locator("main").locator("img, iframe, script, style").count(), 0)
    }
    await page.goto(`${desk.server.url}/#/tasks/${gated.id}`)
    await page.getByText(`<b title="${mark}">`).waitFor()
    await page.getByText(`keyed/<img src=x onerror="${mark}">`).first().waitFor()
    assert.equal(await page.evaluate("window.hurt"), undefined)
    assert.equal(await page.evaluate("({}).polluted"), undefined)
    assert.equal(await page.locator("[href^='javascript:'], [onclick], [onerror], [onload]").count(), 0)
  })

  it("that are redacted are so on the page too", async (test) => {
    const desk = await openDesk(test, browser(), { http: { redact: ["input.password"] } })
    const task = await desk.queue.submit("sign_in", { user: "ada", password: "correct horse" })
    await desk.show(`#/tasks/${task.id}`)
    await desk.page.getByText("[redacted]").waitFor()
    assert.ok(!(await desk.page.content()).includes("correct horse"))
  })
})
