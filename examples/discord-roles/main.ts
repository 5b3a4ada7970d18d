// Discord roles: a limit for each guild, kept over two workers, and what it says of an update that has to wait.

import { connect, type TaskExplanation } from "sluice"
import { startProvider } from "../provider/start.ts"
import { atMost, exactly, freshNamespace, storeUrl, tell, workUntilDone } from "../story.ts"
import { atOnce, perGuild, routes, submit, updates } from "./load.ts"
import { addRole } from "./tasks.ts"

const provider = await startProvider(routes)
const queue = await connect(storeUrl(), { namespace: freshNamespace("discord-roles") })
const submitted = await submit(queue, provider.url)
const lastOfBusy = submitted[updates["guild-busy"] - 1]?.id ?? ""

const workers = [queue.worker([addRole]), queue.worker([addRole])]
// Once everything that may go out at once was answered: what is said of the last update of the busy guild?
let explained: TaskExplanation | null = null
let settled = 0
for (const worker of workers) {
  worker.on("task.settled", async () => {
    if (++settled === atOnce) explained = await queue.explain(lastOfBusy)
  })
}
await workUntilDone(queue, workers)

const ended = await Promise.all(submitted.map(({ id }) => queue.get(id)))
const startsOf = (guild: string) =>
  ended.filter((task) => task?.gates?.[0] === `discord-roles/${guild}`).map((task) => Number(task?.startedAt))
const lastStart = (guild: string) => Math.max(...startsOf(guild))
const { requests, refused, mostInWindow } = await provider.seen("guilds")

const { text, forecast } = explained as unknown as TaskExplanation
const errorMs = Number((await queue.get(lastOfBusy))?.startedAt) - Number(forecast?.at)
console.log(`${text}\nIt started ${Math.abs(errorMs)} ms ${errorMs < 0 ? "before" : "after"} that.`)

tell(`${submitted.length} role updates, ${perGuild} a second for each guild`, [
  ["updates that were made", (await queue.counts()).completed, exactly(submitted.length)],
  ["requests that Discord saw", requests, exactly(submitted.length)],
  ["most in any second, for any guild", Math.max(...Object.values(mostInWindow)), atMost(perGuild)],
  ["429s", refused, exactly(0)],
  ["small guilds that waited for the busy one", quietThatWaited(), exactly(0)],
])
await queue.close()
await provider.stop()

function quietThatWaited(): number {
  const quiet = Object.keys(updates).filter((guild) => guild !== "guild-busy")
  return quiet.filter((guild) => lastStart(guild) >= lastStart("guild-busy")).length
}
