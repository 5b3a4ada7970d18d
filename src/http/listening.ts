// A server that listens, or a refusal in words.

import type { Server } from "node:http"
import { SluiceError } from "../errors/index.ts"

export function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "another program listens there; take another --port" : error.message
      reject(new SluiceError("invalid_option", `serve: expected to listen on ${host} port ${port}: ${why}`, { cause: error }))
    })
    server.listen(port, host, resolve)
  })
}
