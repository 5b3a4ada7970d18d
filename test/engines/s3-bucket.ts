// A bucket as tests need it beside the store: made, and looked into.

import { Client, type Reply } from "../../src/stores/s3/client.ts"
import { credentialChain } from "../../src/stores/s3/credentials.ts"
import { parseLocation } from "../../src/stores/s3/location.ts"
import { systemWorld } from "../../src/world/index.ts"

export function bucketClient(url: string): Client {
  const location = parseLocation(url)
  const credentials = credentialChain(location, systemWorld, {})
  const { bucket, endpoint } = location
  return new Client({ world: systemWorld, bucket, endpoint, region: "us-east-1", credentials, deadlineMs: 10_000 })
}

export async function makeBucket(url: string): Promise<void> {
  expectStatus(await bucketClient(url).send({ method: "PUT", key: "" }), 200)
}

export function expectStatus(reply: Reply, status: number): Reply {
  if (reply.status === status) return reply
  throw new Error(`expected status ${status}, got ${reply.status}: ${Buffer.from(reply.body).toString("utf8")}`)
}
