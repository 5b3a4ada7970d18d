// Starts the HTTP form of the providers as a child process.
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const script = fileURLToPath(new URL("http-server.mjs", import.meta.url))

/** `options` as http-server.mjs takes them. */
export async function startHttpServer(options) {
  const child = fork(script, [JSON.stringify(options)], { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  const exited = once(child, "exit")
  const failed = exited.then(([code, signal]) => {
    throw new Error(`http-server: expected it to listen, but it ended with ${signal ?? code}`)
  })
  const [{ port, url }] = await Promise.race([once(child, "message"), failed])
  failed.catch(() => {})
  return {
    port,
    url,
    stats: async () => (await fetch(`${url}/_stats`)).json(),
    async stop() {
      child.kill()
      await exited
    },
  }
}
