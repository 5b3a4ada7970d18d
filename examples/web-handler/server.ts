// The web server: GET /weather/vienna asks the same API as the tasks, within the same limit. Nobody here counts anything.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type Queue, RateLimitError } from "sluice"
import { weatherApi } from "./tasks.ts"

export function weatherServer(queue: Queue, apiUrl: string) {
  const api = queue.limit(weatherApi)
  return createServer(async (request: IncomingMessage, response: ServerResponse) => {
    // Who has gone away need not be served.
    const gone = new AbortController()
    response.on("close", () => gone.abort())
    try {
      // Waits its turn, before the tasks that wait, for 10 s at most; holds a slot while it runs.
      const weather = await api.run((call) => call.fetch(`${apiUrl}${request.url}`).then((answer) => answer.json()), {
        wait: "10s",
        signal: gone.signal,
      })
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(weather))
    } catch (error) {
      response.writeHead(error instanceof RateLimitError ? 429 : 500).end(String(error))
    }
  })
}
