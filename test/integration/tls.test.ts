// The way to each server is secure where the URL says so, and whoever it cannot be trusted by is told at once what is wrong: by `sluice`,
// as people run it. Redis, S3 and our own server stand behind a line that speaks TLS; Postgres speaks it itself.

import assert from "node:assert/strict"
import { chmodSync, chownSync } from "node:fs"
import { connect, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { createServer } from "node:tls"
import { sharedS3 } from "../engines/ceph.ts"
import { type Certificate, makeCertificate } from "../engines/certificate.ts"
import { startPostgres, type TestPostgres } from "../engines/postgres.ts"
import { serverUser } from "../engines/postgres-user.ts"
import { sharedRedis } from "../engines/redis.ts"
import { Workplace } from "./cli/sluice-process.ts"

interface Way {
  /** As somebody asks for it who wants it secure. */
  readonly url: string
  /** How this store is told whom to trust. */
  readonly trust: { readonly env?: Readonly<Record<string, string>>; readonly query?: string }
  /** Secure, to where nobody speaks TLS; null where that server only closes the line, as any might. */
  readonly plain: string | null
}

const names = ["redis", "postgres", "s3", "http"] as const

describe("a secure way to the store", () => {
  const place = new Workplace()
  const lines: { close(): void }[] = []
  const ways = new Map<string, Way>()
  let postgres: TestPostgres | null = null

  before(async () => {
    const certificate = makeCertificate(place.folder)
    postgres = await securePostgres(certificate)
    const env = { NODE_EXTRA_CA_CERTS: certificate.certFile }
    const secured = async (port: number) => {
      const line = await secureLine(certificate, port)
      lines.push(line)
      return line.port
    }
    const redis = Number(new URL(await sharedRedis()).port)
    ways.set("redis", { url: `rediss://localhost:${await secured(redis)}?timeout=20s&prefix=tls`, trust: { env }, plain: null })
    const verify = `postgres://postgres@localhost:${postgres.port}/postgres?sslmode=verify-full`
    ways.set("postgres", { url: verify, trust: { query: `&sslrootcert=${certificate.certFile}` }, plain: null })
    const s3 = new URL(await sharedS3())
    const gateway = Number(new URL(s3.searchParams.get("endpoint") ?? "").port)
    const s3Url = (port: number) => `s3://${s3.username}:${s3.password}@${s3.host}/tls?endpoint=https://localhost:${port}`
    ways.set("s3", { url: s3Url(await secured(gateway)), trust: { env }, plain: s3Url(gateway) })
    const server = place.start("serve", "--port", "0", "--store", "sqlite:./served.db")
    const served = Number((await server.said(/at http:\/\/127\.0\.0\.1:(\d+)/))[1])
    const httpUrl = (port: number) => `https://localhost:${port}`
    ways.set("http", { url: httpUrl(await secured(served)), trust: { env }, plain: httpUrl(served) })
  })

  after(async () => {
    for (const line of lines) line.close()
    await postgres?.remove()
    await place.remove()
  })

  const wayTo = (name: string) => ways.get(name) as Way
  const submit = (store: string, env = {}) => place.startWith(env, ["submit", "-t", "call_api", "-i", "{}", "--store", store]).ended

  for (const name of names) {
    it(`${name}: is taken where the authority is named`, async () => {
      const { url, trust } = wayTo(name)
      const store = `${url}${trust.query ?? ""}`
      const { stdout, stderr, exitCode } = await submit(store, trust.env)
      assert.deepEqual([exitCode, stderr], [0, ""])
      const seen = await place.startWith(trust.env ?? {}, ["get", stdout.trim(), "--json", "--store", store]).ended
      assert.equal((JSON.parse(seen.stdout) as { status: string }).status, "pending")
    })

    it(`${name}: is refused at once where nobody has named it`, async () => {
      const { stdout, stderr, exitCode } = await submit(wayTo(name).url)
      assert.deepEqual([exitCode, stdout], [8, ""])
      assert.match(
        stderr,
        /^sluice: .*: expected a certificate that can be trusted; name .* (NODE_EXTRA_CA_CERTS|sslrootcert).*\(self-signed certificate\)\n$/,
      )
    })
  }

  for (const name of names)
    it(`${name}: a certificate for another host is told as that`, async () => {
      const { url, trust } = wayTo(name)
      const { stderr, exitCode } = await submit(url.replace("localhost", "127.0.0.1") + (trust.query ?? ""), trust.env)
      assert.equal(exitCode, 8)
      assert.match(stderr, /^sluice: .*: expected a certificate for the host of the URL, but it is for another; .*\n$/)
    })

  for (const name of ["s3", "http"])
    it(`${name}: a server that does not speak TLS is told as that`, async () => {
      const { stderr, exitCode } = await submit(wayTo(name).plain ?? "")
      assert.equal(exitCode, 8)
      assert.match(stderr, /^sluice: .*: expected a server that speaks TLS, but it does not; .* \(wrong version number\)\n$/)
    })
})

/** Ends where the other side does. */
async function secureLine({ cert, key }: Certificate, to: number): Promise<{ readonly port: number; close(): void }> {
  const open = new Set<Socket>()
  const server: Server = createServer({ cert, key }, (client) => {
    const through = connect(to, "127.0.0.1")
    for (const [one, other] of [
      [client, through],
      [through, client],
    ] as const) {
      open.add(one)
      one.pipe(other)
      one.on("error", () => other.destroy())
      one.on("close", () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as { port: number }
  const close = () => {
    server.close()
    for (const socket of open) socket.destroy()
  }
  return { port, close }
}

/** Its key is for whoever it runs as, and for nobody else. */
function securePostgres({ certFile, keyFile }: Certificate): Promise<TestPostgres> {
  const user = serverUser()
  chmodSync(keyFile, 0o600)
  chmodSync(join(keyFile, ".."), 0o755)
  if (user) for (const file of [certFile, keyFile]) chownSync(file, user.uid, user.gid)
  return startPostgres({ args: ["-c", "ssl=on", "-c", `ssl_cert_file=${certFile}`, "-c", `ssl_key_file=${keyFile}`] })
}
