// How long a process takes to open a namespace that holds much, and how much memory it needs then. Makes the state by the steps themselves,
// writes its snapshot, and opens it; both in processes of their own (start-process.mjs), so that neither has the other's memory.
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("start-process.mjs", import.meta.url))

async function run(argument) {
  const [answer] = await once(
    fork(program, [JSON.stringify(argument)], { execArgv: ["--expose-gc", "--max-old-space-size=8192"] }),
    "message",
  )
  return answer
}

export async function measureStart(server, { finished, live }) {
  const url = new URL(server.url)
  url.pathname = `/start-${Date.now()}`
  const filled = await run({ mode: "fill", url: url.href, finished, live })
  const started = await run({ mode: "start", url: url.href })
  if (started.completed !== finished) throw new Error(`bench s3: expected ${finished} finished tasks, found ${started.completed}`)
  return { finished, live, ...filled, ...started }
}
