// What the subjects on Redis have in common beside the tasks: where the server is, how many they run at once, and what it has in memory.
import { createClient } from "@redis/client"
import { run as runEmptyTasks, url } from "../empty-tasks/subject.mjs"

export { groups } from "../empty-tasks/subject.mjs"

export const port = Number(new URL(url).port)
export const concurrency = 100

/** By the server's own account. */
export async function usedBytes() {
  const client = createClient({ url })
  await client.connect()
  const used = Number(/^used_memory:(\d+)/m.exec(await client.info("memory"))?.[1])
  client.destroy()
  return used
}

export const run = (subject) => runEmptyTasks({ ...subject, usedBytes })
