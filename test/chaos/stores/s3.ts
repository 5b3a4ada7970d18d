// S3: a Ceph of its own whose gateway is killed and started again. Processes reach it through lines that can be cut, and behind them through a
// gateway of ours that is as bad as a busy one: it refuses some requests, and loses some answers. The coordinator reaches it directly.

import { startCeph } from "../../engines/ceph.ts"
import { BadGateway } from "../lines/bad-gateway.ts"
import { Lines } from "../lines/index.ts"
import type { StartStore } from "./index.ts"

export const s3: StartStore = async () => {
  const server = await startCeph()
  const gateway = await BadGateway.start(server.port)
  const lines = await Lines.start(gateway.port)
  return {
    url: server.url,
    lines,
    restart: () => server.restartGateway(),
    stop: async () => {
      await lines.end()
      await gateway.end()
      await server.remove()
    },
  }
}
