// URLs of Postgres stores: what they mean, what of them `pg` is given, what is wrong with them, and that no password shows.

import assert from "node:assert/strict"
import { it } from "node:test"
import { Client } from "pg"
import { isSluiceError } from "../../src/errors/index.ts"
import { parseLocation, placeOf } from "../../src/stores/postgres/location.ts"

const plain = { port: null, database: null, schema: "sluice", patienceMs: 5_000, poolSize: 10, isPreparing: true, isListening: true }

for (const [url, expected] of [
  ["postgres://localhost", { ...plain, host: "localhost" }],
  ["postgresql://localhost/", { ...plain, host: "localhost" }],
  ["postgres://", { ...plain, host: null }],
  ["postgres://db.internal:6400/shop", { ...plain, host: "db.internal", port: 6400, database: "shop" }],
  ["postgres://[::1]:7000/shop", { ...plain, host: "::1", port: 7000, database: "shop" }],
  ["postgres://%2Frun%2Fpostgresql/shop", { ...plain, host: "/run/postgresql", database: "shop" }],
  ["postgres:///shop?host=/run/postgresql&port=5433", { ...plain, host: "/run/postgresql", port: 5433, database: "shop" }],
  ["postgres://a?schema=My%20%22queue%22", { ...plain, host: "a", schema: 'My "queue"' }],
  [
    "postgres://a/b?timeout=250ms&pool=3&prepare=false&listen=false",
    { ...plain, host: "a", database: "b", patienceMs: 250, poolSize: 3, isPreparing: false, isListening: false },
  ],
] as const) {
  it(`${url} is understood`, () => {
    const { connectionString: _, ...rest } = parseLocation(url)
    assert.deepEqual(rest, expected)
  })
}

const bare = { host: "host", port: 5432, database: "shop", user: "me", password: null, ssl: false }
for (const [url, expected] of [
  ["postgres://me:p%40ss@host:5433/shop?schema=x&pool=3&timeout=1s", { ...bare, port: 5433, password: "p@ss" }],
  ["postgresql://me:50%25%20off:x@host/shop", { ...bare, password: "50% off:x" }],
  ["postgres://me:50%off%2F@host/shop", { ...bare, password: "50%off%2F" }],
  ["postgres://me:%E4%00@host/shop", { ...bare, password: "%E4%00" }],
  ["postgres://me:a@b@host/shop?prepare=false", { ...bare, password: "a@b" }],
  ["postgres://me@[::1]/shop", { ...bare, host: "::1" }],
  ["postgres://me@/shop?host=/run/my%20postgres&listen=false", { ...bare, host: "/run/my postgres" }],
  ["postgres://me@%2Frun%2Fpostgresql/shop", { ...bare, host: "/run/postgresql" }],
  ["postgres://me@host/my%20shop", { ...bare, database: "my shop" }],
  ["postgres://me@host/shop?ssl=false", bare],
  ["postgres://me@host/shop?ssl=true", { ...bare, ssl: true }],
  ["postgres://me@host/shop?sslmode=no-verify&schema=x", { ...bare, ssl: { rejectUnauthorized: false } }],
  ["postgres://host/shop?user=me", bare],
] as const) {
  it(`pg is given what it needs of ${url}`, () => {
    const location = parseLocation(url)
    const { host, port, database, user, password, ssl } = new Client({ connectionString: location.connectionString })
    assert.deepEqual({ host, port, database, user, password, ssl }, expected)
    assert.deepEqual([location.host, location.port ?? 5432, location.database], [host, port, database])
    assert.doesNotMatch(location.connectionString, /schema|pool|timeout|prepare|listen/)
  })
}

it("what pg makes of its own options stays", () => {
  const { connectionString } = parseLocation(
    "postgres://me@host/shop?application_name=a%20b%26c&statement_timeout=5&schema=x&options=-c%20a%3Db",
  )
  const given = new Client({ connectionString }) as unknown as { readonly connectionParameters: Readonly<Record<string, unknown>> }
  const { application_name, statement_timeout, options } = given.connectionParameters
  assert.deepEqual([application_name, statement_timeout, options], ["a b&c", "5", "-c a=b"])
})

for (const [url, code, says] of [
  ["postgres://me:s3cret@host:port", "unknown_store", /one host as "host"/],
  ["postgres://me:s3cret@host:99999", "unknown_store", /one host as "host"/],
  ["postgres://me:s3cret@:5432/shop", "unknown_store", /one host as "host"/],
  ["postgres://me:s3cret@a,b/shop", "unknown_store", /one host/],
  ["postgres://me:s3cret@a/shop?port=0", "unknown_store", /1 to 65535/],
  ["postgres://me:s3/cret@host", "unknown_store", /%40/],
  ["postgres://me:s3#cret@host", "unknown_store", /%23/],
  ["postgres://me:12?s3cret@host", "unknown_store", /%40/],
  ["postgres:me:s3cret@a", "unknown_store", /postgres:\/\//],
  ["postgres://a?password=s3cret", "invalid_option", /before the host/],
  ["postgres://a?shema=x&password=s3cret", "invalid_option", /did you mean "schema"/],
  ["postgres://me:s3cret@a?connect_timeout=5", "invalid_option", /did you mean "timeout"/],
  ["postgres://me:s3cret@a?channel_binding=require", "invalid_option", /expected the options schema, timeout/],
  ["postgres://me:s3cret@a?pool=1&pool=2", "invalid_option", /once/],
  ["postgres://me:s3cret@a?pool=0", "invalid_option", /1 to 1000/],
  ["postgres://me:s3cret@a?pool=many", "invalid_option", /1 to 1000/],
  ["postgres://me:s3cret@a?prepare=no", "invalid_option", /true or false/],
  ["postgres://me:s3cret@a?listen=", "invalid_option", /true or false/],
  ["postgres://me:s3cret@a?ssl=on", "invalid_option", /no-verify/],
  ["postgres://me:s3cret@a?sslmode=allow", "invalid_option", /verify-full/],
  ["postgres://me:s3cret@a?timeout=soon", "invalid_duration", /timeout/],
  ["postgres://me:s3cret@a?timeout=1h", "invalid_option", /1ms to 10m/],
  ["postgres://me:s3cret@a?schema=", "invalid_name", /1 to 63 bytes/],
  ["postgres://me:s3cret@a?schema=a%00b", "invalid_name", /U\+0000/],
  [`postgres://me:s3cret@a?schema=${"%C3%A4".repeat(32)}`, "invalid_name", /63 bytes/],
  ["postgres://me:s3cret@a?schema=pg_mine", "invalid_name", /keep for itself/],
] as const) {
  it(`${url} is refused with ${code}`, () => {
    assert.throws(
      () => parseLocation(url),
      (error) => {
        assert.ok(isSluiceError(error))
        assert.equal(error.code, code)
        assert.match(error.message, says)
        assert.doesNotMatch(error.message, /s3|cret/)
        return true
      },
    )
  })
}

it("a place is told without credentials, and with what the environment adds", () => {
  assert.equal(placeOf(parseLocation("postgres://me:s3cret@a:1/shop"), {}), "postgres a:1/shop")
  assert.equal(placeOf(parseLocation("postgres://[::1]"), {}), "postgres [::1]:5432")
  assert.equal(placeOf(parseLocation("postgres://"), {}), "postgres localhost:5432")
  assert.equal(placeOf(parseLocation("postgres://"), { PGHOST: "b", PGPORT: "7", PGDATABASE: "c" }), "postgres b:7/c")
})
