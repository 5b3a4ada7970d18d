// A place of a test's own on the server that all share: a prefix that nobody else has. What is there ends with the server.

import { randomBytes } from "node:crypto"
import { sharedS3 } from "./ceph.ts"

export async function s3Place(): Promise<{ readonly url: string; readonly prefix: string }> {
  const prefix = `test-${randomBytes(6).toString("hex")}`
  const url = new URL(await sharedS3())
  url.pathname = `/${prefix}`
  return { url: url.href, prefix }
}
