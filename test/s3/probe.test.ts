// The probe at start: a server that ignores conditions is refused, and so is a bucket with versions. `s3rver` is one of the first kind; it is
// here for nothing else.

import { equal, ok, rejects } from "node:assert/strict"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "node:test"
import { open } from "../../src/stores/s3/index.ts"
import { systemWorld } from "../../src/world/index.ts"
import { sharedS3 } from "../engines/ceph.ts"
import { bucketClient, expectStatus } from "../engines/s3-bucket.ts"
import { place } from "./place.ts"

interface Careless {
  run(): Promise<{ readonly port: number }>
  close(): Promise<void>
}

const name = "s3rver"

async function careless(use: (url: string) => Promise<void>): Promise<void> {
  const { default: Server } = (await import(name)) as { default: new (options: object) => Careless }
  const directory = await mkdtemp(join(tmpdir(), "sluice-s3rver-"))
  const server = new Server({ port: 0, address: "127.0.0.1", silent: true, directory, configureBuckets: [{ name: "careless" }] })
  const { port } = await server.run()
  try {
    await use(`s3://S3RVER:S3RVER@careless?endpoint=http://127.0.0.1:${port}`)
  } finally {
    await server.close()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Where nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

it("a server that ignores conditions is refused, and told why", async () => {
  await careless(async (url) => {
    await rejects(open({ url, namespace: "default", world: systemWorld }), ({ code, message }: { code: string; message: string }) => {
      equal(code, "store_unfit")
      return /s3 careless at http.*expected one of 8 racing creates .* to win, but \d did: this server ignores the condition/.test(message)
    })
  })
})

it("a bucket with versions is refused, and told why", async () => {
  const url = (await sharedS3()).replace("sluice-test", "sluice-versioned")
  const client = bucketClient(url)
  await client.send({ method: "PUT", key: "" })
  const body = Buffer.from("<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>")
  expectStatus(await client.send({ method: "PUT", key: "", query: { versioning: "" }, body }), 200)
  await rejects(open({ url, namespace: "default", world: systemWorld }), {
    code: "store_unfit",
    message: /expected a bucket without versioning/,
  })
})

/** A bucket of its own, because a server is probed once, whose creates of a race are answered so as long as `isBusy`. */
async function openStumbling(bucket: string, query: string, isBusy: () => boolean): Promise<void> {
  const url = (await sharedS3()).replace("sluice-test", bucket)
  await bucketClient(url).send({ method: "PUT", key: "" })
  const fetched: typeof systemWorld.fetch = async (target, init) =>
    init?.method === "PUT" && String(target).includes("/probe/") && isBusy()
      ? new Response("<Error><Code>SlowDown</Code></Error>", { status: 503 })
      : systemWorld.fetch(target, init)
  const store = await open({ url: `${url}${query}`, namespace: "default", world: { ...systemWorld, fetch: fetched } })
  await store.close()
}

it("a server that is too busy to answer a race has told nothing about itself: it is raced again", async () => {
  let refused = 0
  await openStumbling("sluice-stumbling", "", () => ++refused <= 20)
  ok(refused > 20)
})

it("a server that stays busy is told as that, and not as unfit", async () => {
  await rejects(
    openStumbling("sluice-busy", "&timeout=100ms", () => true),
    { code: "store_unavailable", message: /expected a create that is answered, but the server is busy/ },
  )
})

it("what is wrong with a bucket or its keys is told", async () => {
  const url = await sharedS3()
  const wrong = async (text: string, code: string, message: RegExp) =>
    rejects(open({ url: text, namespace: "default", world: systemWorld }), { code, message })
  await wrong(url.replace("sluice-test", "no-such-bucket"), "store_unfit", /expected a bucket of this name/)
  await wrong(url.replace("sluice-secret", "wrong"), "store_denied", /expected a signature that fits/)
  await wrong(url.replace("//sluice:", "//nobody:"), "store_denied", /expected a known access key/)
  await wrong(`s3://a:b@bucket?endpoint=http://127.0.0.1:${await closedPort()}&timeout=100ms`, "store_unavailable", /ECONNREFUSED/)
})

it("the probe leaves nothing behind", async () => {
  const here = await place()
  await (await here.open()).close()
  ok((await here.names(`${here.keys.base.split("/")[0]}/`)).length === 0)
})
