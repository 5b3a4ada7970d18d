// What servers say, and what goes wrong on the way to them, each in its own words, means the same.

import assert from "node:assert/strict"
import { it } from "node:test"
import { SluiceError } from "../../src/errors/index.ts"
import { isConnectionLost, isRetryable, translate } from "../../src/stores/postgres/errors.ts"

type Kind = "lost" | "again" | ""
const failure = (message: string, fields: object = {}) => Object.assign(new Error(message), fields)

for (const [code, message, expected, kind] of [
  ["57P01", "terminating connection due to administrator command", "store_unavailable", "lost"],
  ["57P02", "terminating connection because of crash of another server process", "store_unavailable", "lost"],
  ["57P03", "the database system is starting up", "store_unavailable", "lost"],
  ["57P05", "terminating connection due to idle-session timeout", "store_unavailable", "lost"],
  ["25P03", "terminating connection due to idle-in-transaction timeout", "store_unavailable", "lost"],
  ["57014", "canceling statement due to statement timeout", "store_unavailable", ""],
  ["08006", "connection failure", "store_unavailable", "lost"],
  ["08P01", "server conn crashed?", "store_unavailable", "lost"],
  ["08P01", "no such user: me", "store_denied", ""],
  ["08P01", "unsupported startup parameter: options", "store_unfit", ""],
  ["53100", "could not extend file: No space left on device", "store_full", ""],
  ["53200", "out of memory", "store_unavailable", ""],
  ["53300", "sorry, too many clients already", "store_unavailable", ""],
  ["28P01", 'password authentication failed for user "me"', "store_denied", ""],
  ["28000", "no pg_hba.conf entry for host", "store_denied", ""],
  ["42501", "permission denied for schema sluice", "store_denied", ""],
  ["3D000", 'database "shop" does not exist', "unknown_store", ""],
  ["40001", "could not serialize access due to concurrent update", "store_unavailable", "again"],
  ["40P01", "deadlock detected", "store_unavailable", "again"],
  ["55P03", "canceling statement due to lock timeout", "store_unavailable", "again"],
  ["25006", "cannot execute INSERT in a read-only transaction", "store_unavailable", ""],
  ["25P02", "current transaction is aborted", "store_unavailable", ""],
  ["42P01", 'relation "sluice.tasks" does not exist', "store_damaged", ""],
  ["23505", "duplicate key value violates unique constraint", "store_damaged", ""],
  ["22021", 'invalid byte sequence for encoding "UTF8": 0x00', "invalid_input", ""],
  ["22P05", "unsupported Unicode escape sequence", "invalid_input", ""],
  ["XX001", "invalid page in block 7 of relation base/5/16384", "store_damaged", ""],
  ["26000", 'prepared statement "claim" does not exist', "store_unfit", ""],
  ["0A000", "cached plan must not change result type", "store_unavailable", "lost"],
  ["0A000", "MERGE is not supported", "store_unfit", ""],
  ["42601", "syntax error at or near", "store_unfit", ""],
  ["ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:1", "store_unavailable", "lost"],
  ["ENOTFOUND", "getaddrinfo ENOTFOUND nowhere", "store_unavailable", "lost"],
  ["ECONNRESET", "read ECONNRESET", "store_unavailable", "lost"],
  ["EPIPE", "write EPIPE", "store_unavailable", "lost"],
  [undefined, "Connection terminated unexpectedly", "store_unavailable", "lost"],
  [undefined, "Connection terminated due to connection timeout", "store_unavailable", "lost"],
  [undefined, "timeout expired", "store_unavailable", "lost"],
  [undefined, "timeout exceeded when trying to connect", "store_unavailable", "lost"],
  [undefined, "Client has encountered a connection error and is not queryable", "store_unavailable", "lost"],
  [undefined, "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string", "store_denied", ""],
  [undefined, "The server does not support SSL connections", "store_unfit", ""],
  ["SELF_SIGNED_CERT_IN_CHAIN", "self-signed certificate in certificate chain", "store_denied", ""],
] as const satisfies readonly (readonly [string | undefined, string, string, Kind])[]) {
  it(`${code ?? "pg"}: ${message}: ${expected}`, () => {
    const given = failure(message, code === undefined ? {} : { code })
    const error = translate(given, "postgres x")
    assert.equal((error as { code?: string }).code, expected)
    assert.ok(error.message.startsWith("postgres x: expected ") && error.message.endsWith(`(${message})`), error.message)
    assert.equal(error.cause, given)
    assert.equal(isConnectionLost(given), kind === "lost")
    assert.equal(isRetryable(given), kind === "again")
  })
}

it("a socket that is not there is a server that is not there; a certificate that is not there is a mistake", () => {
  const socket = failure("connect ENOENT /run/x/.s.PGSQL.5432", { code: "ENOENT", syscall: "connect" })
  const file = failure("ENOENT: no such file or directory, open 'ca.pem'", { code: "ENOENT", syscall: "open" })
  assert.deepEqual(
    [socket, file].map((error) => (translate(error, "x") as SluiceError).code),
    ["store_unavailable", "invalid_option"],
  )
  assert.deepEqual([socket, file].map(isConnectionLost), [true, false])
})

it("a host with several addresses that all refuse is told by what each said", () => {
  const both = Object.assign(new AggregateError([failure("connect ECONNREFUSED ::1:1"), failure("connect ECONNREFUSED 127.0.0.1:1")], ""), {
    code: "ECONNREFUSED",
  })
  assert.match(translate(both, "x").message, /\(connect ECONNREFUSED ::1:1, connect ECONNREFUSED 127\.0\.0\.1:1\)$/)
})

it("what is Sluice's own stays, damage is told with the place, once; what is not known stays", () => {
  const mistake = new SluiceError("invalid_option", "x")
  assert.equal(translate(mistake, "postgres x"), mistake)
  const damage = translate(new SluiceError("store_damaged", "task 7: expected a status"), "postgres x")
  assert.match(damage.message, /^postgres x: task 7: expected a status; /)
  assert.equal(translate(damage, "postgres x"), damage)
  const bug = new TypeError("x is not a function")
  assert.equal(translate(bug, "postgres x"), bug)
  assert.deepEqual([isConnectionLost(bug), isRetryable(bug), isConnectionLost(undefined), isRetryable(null)], [false, false, false, false])
})
