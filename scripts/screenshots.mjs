// The pictures of the dashboard in docs/images: every page, light and dark, from a demo that is the same each time.
// `node scripts/screenshots.mjs`, after `node scripts/build.mjs test`; with words, only the pages whose names contain one of them.
import { mkdirSync } from "node:fs"
import { startChromium } from "../.build/test/engines/chromium.js"
import { startDemo } from "./dashboard/demo.mjs"

const folder = "docs/images"
const words = process.argv.slice(2)
const demo = await startDemo()
const browser = await startChromium()
mkdirSync(folder, { recursive: true })

const first = async (filter) => (await demo.queue.list({ ...filter, limit: 200 })).tasks.at(-1)?.id
const job = (await demo.queue.jobs.list({})).jobs[0]?.id
const pages = {
  overview: "#/",
  limits: "#/limits",
  limit: "#/limits/crawl",
  tasks: "#/tasks",
  task: `#/tasks/${await first({ status: "pending", type: "fetch_page" })}`,
  jobs: "#/jobs",
  job: `#/jobs/${job}`,
  schedules: "#/schedules",
  workers: "#/workers",
}

async function picture(page, name) {
  await page.getByText("Live", { exact: true }).waitFor()
  await page.locator("main .panel, main .tile").first().waitFor()
  // What is asked for beside the stream is there, and bars have come to rest.
  await page.waitForLoadState("load")
  await page.waitForTimeout(1_500)
  const { width, height } = page.viewportSize()
  const below = await page.evaluate("Math.ceil(document.querySelector('main').lastElementChild.getBoundingClientRect().bottom) + 24")
  await page.screenshot({ path: `${folder}/${name}.png`, clip: { x: 0, y: 0, width, height: Math.min(height, below) } })
  console.log(`${folder}/${name}.png`)
}

for (const colorScheme of ["light", "dark"]) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 750 }, colorScheme, timezoneId: "UTC" })
  const page = await context.newPage()
  for (const [name, hash] of Object.entries(pages)) {
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue
    await page.goto(`${demo.url}/${hash}`)
    await picture(page, `dashboard-${name}-${colorScheme}`)
  }
  await context.close()
}
if (words.length === 0 || words.includes("phone")) {
  const context = await browser.newContext({ viewport: { width: 390, height: 780 }, colorScheme: "light", timezoneId: "UTC" })
  const page = await context.newPage()
  await page.goto(`${demo.url}/#/limits/crawl`)
  await picture(page, "dashboard-phone")
  await context.close()
}
await browser.close()
await demo.close()
process.exit(0)
