// What servers say, each in its own words, means the same.

import assert from "node:assert/strict"
import { it } from "node:test"
import { isDenied, refusalOf, translate } from "../../src/stores/redis/errors.ts"

for (const [said, code] of [
  ["OOM command not allowed when used memory > 'maxmemory'.", "store_full"],
  ["ERR OOM command not allowed when used memory > 'maxmemory'. script: 2bba, on @user_script:21290.", "store_full"],
  ["ERR Error running script (call to f_2bba): @user_script:12: -OOM command not allowed when used memory > 'maxmemory'.", "store_full"],
  ["READONLY You can't write against a read only replica.", "store_unavailable"],
  ["ERR READONLY You can't write against a read only replica. script: 2bba, on @user_script:1.", "store_unavailable"],
  ["MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.", "store_unavailable"],
  ["LOADING Redis is loading the dataset in memory", "store_unavailable"],
  ["BUSY Redis is busy running a script.", "store_unavailable"],
  ["CLUSTERDOWN Hash slot not served", "store_unavailable"],
  ["WRONGTYPE Operation against a key holding the wrong kind of value script: 2bba, on @user_script:1.", "store_damaged"],
  ["ERR WRONGTYPE Operation against a key holding the wrong kind of value script: 2bba, on @user_script:1.", "store_damaged"],
  ["ERR user_script:1541: attempt to index a nil value script: 2bba, on @user_script:20843.", "store_damaged"],
  ["NOAUTH Authentication required.", "store_denied"],
  ["WRONGPASS invalid username-password pair or user is disabled.", "store_denied"],
  ["NOPERM this user has no permissions to access one of the channels used as arguments", "store_denied"],
  ["ERR ACL failure in script: User me has no permissions to run the 'publish' command script: 2bba, on @user_script:1.", "store_denied"],
  [
    "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?",
    "store_denied",
  ],
  ["ERR unknown command 'EVALSHA', with args beginning with: ", "store_unfit"],
  ["Socket closed unexpectedly", "store_unavailable"],
  ["read ECONNRESET", "store_unavailable"],
] as const) {
  it(`${said.slice(0, 60)}: ${code}`, () => {
    const error = translate(new Error(said), "redis x")
    assert.equal((error as { code?: string }).code, code)
    assert.equal(isDenied(new Error(said)), code === "store_denied")
    assert.ok(error.message.startsWith("redis x: expected "), error.message)
  })
}

it("the server's word is told from what goes wrong on the way", () => {
  assert.equal(refusalOf(new Error("NOSCRIPT No matching script.")), "NOSCRIPT")
  assert.equal(refusalOf(new Error("MOVED 1 127.0.0.1:7000")), "MOVED")
  assert.equal(refusalOf(new Error("connect ECONNREFUSED 127.0.0.1:1")), null)
  assert.equal(refusalOf(undefined), null)
})
