// A queue, its server and a browser that looks at it. Whatever a test does: nothing may be said on the console as an error, and nothing may be
// asked of another host; that is looked at when it ends.

import assert from "node:assert/strict"
import { after, before, type TestContext } from "node:test"
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core"
import { type HttpOptions, type SluiceServer, serve } from "../../src/http/index.ts"
import { connect, type Queue } from "../../src/queue/index.ts"
import { startChromium } from "../engines/chromium.ts"
import type { Held } from "./held.ts"

/** A test that waits for what never comes is ended here, and says for what. */
const patienceMs = 20_000

export interface Desk {
  readonly queue: Queue
  readonly server: SluiceServer
  readonly page: Page
  /** Goes to a page by what stands behind the #, and waits until it is live. */
  show(hash: string): Promise<void>
}

export interface DeskOptions {
  readonly http?: HttpOptions
  readonly context?: BrowserContextOptions
  readonly tasks?: Parameters<Queue["worker"]>[0]
  /** Those that it holds are let go at the end. */
  readonly held?: Held
  /** What the test itself brings about: such messages on the console are no fault. */
  readonly expected?: RegExp
}

/** One browser for a test file. */
export function useBrowser(): () => Browser {
  let browser: Browser | null = null
  before(async () => {
    browser = await startChromium()
  })
  after(() => browser?.close())
  return () => {
    assert.ok(browser)
    return browser
  }
}

/** Closed when the test ends, whichever way. */
export async function openDesk(
  test: TestContext,
  browser: Browser,
  { http, context: given, tasks, held, expected }: DeskOptions = {},
): Promise<Desk> {
  const queue = await connect("memory:")
  const server = await serve(queue, { port: 0, ...http })
  const stop = new AbortController()
  const working = tasks === undefined ? null : queue.worker(tasks).run({ concurrency: 10, signal: stop.signal })
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...given })
  const { page, faults } = await watchedPage(context, server.url, expected)
  test.after(async () => {
    await context.close()
    stop.abort()
    held?.end()
    await working
    await server.close()
    await queue.close()
    assert.deepEqual(faults, [])
  })
  return {
    ...{ queue, server, page },
    show: async (hash) => {
      await page.goto(`${server.url}/${hash}`)
      await page.getByText("Live", { exact: true }).waitFor()
    },
  }
}

async function watchedPage(context: BrowserContext, url: string, expected?: RegExp): Promise<{ page: Page; faults: string[] }> {
  const faults: string[] = []
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  page.on("console", (message) => {
    if (message.type() === "error" && !expected?.test(message.text())) faults.push(`console: ${message.text()}`)
  })
  page.on("pageerror", (error) => faults.push(`error: ${error.stack ?? error.message}`))
  page.on("request", (request) => {
    if (!request.url().startsWith(`${url}/`)) faults.push(`request: ${request.url()}`)
  })
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return { page, faults }
}
