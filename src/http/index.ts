// The server, and the API as a function for servers of other kinds.

import type { Queue } from "../queue/index.ts"
import { HttpApp } from "./app.ts"
import { type HttpOptions, httpSettings } from "./server-options.ts"

export { HttpApp } from "./app.ts"
export { Metrics, type MetricsOptions, metrics } from "./metrics/index.ts"
export { type ServeOptions, SluiceServer, serve } from "./server.ts"
export { type HttpOptions, httpDefaults, httpReaders, type LogLine } from "./server-options.ts"

/** For a server of your own: `app.fetch` answers requests. `hosts` names what it is called by; `close` ends its streams. */
export async function httpApp(queue: Queue, options?: HttpOptions): Promise<HttpApp> {
  const settings = httpSettings("httpApp", options)
  const { namespace } = await queue.describe()
  return new HttpApp({ queue, namespace, open: null, settings })
}
