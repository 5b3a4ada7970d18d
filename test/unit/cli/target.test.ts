// Limits and gates as people type them.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { parseGate, parseTarget } from "../../../src/cli/target.ts"

describe("a target", () => {
  it("is a limit, or a limit and a key that may have slashes and equals signs of its own", () => {
    assert.deepEqual(parseTarget("show", "vendor-api"), { limit: "vendor-api", key: "" })
    assert.deepEqual(parseTarget("show", "vendor-api/host-1"), { limit: "vendor-api", key: "host-1" })
    assert.deepEqual(parseTarget("show", "api/a/b=3"), { limit: "api", key: "a/b=3" })
  })

  it("without one of its parts is refused with what was expected", () => {
    for (const text of ["/", "api/", "/host"]) {
      assert.throws(() => parseTarget("show", text), {
        code: "invalid_name",
        message: `show: expected a limit or one of its gates, such as "vendor-api" or "vendor-api/host-1", got "${text}"`,
      })
    }
    assert.throws(() => parseTarget("show", ""), { code: "invalid_name", message: /^show: expected 1 to 128 letters/ })
    assert.throws(() => parseTarget("show", "a b/c"), { message: /^show: expected 1 to 128 letters.*got "a b"$/ })
    assert.throws(() => parseTarget("show", "a/b\u0007"), { message: /^show: expected 1 to 512 characters/ })
  })
})

describe("a gate to pass", () => {
  it("costs one, or what stands behind its last equals sign", () => {
    assert.deepEqual(parseGate("--gate", "api"), { limit: "api", key: "", cost: 1 })
    assert.deepEqual(parseGate("--gate", "api=2"), { limit: "api", key: "", cost: 2 })
    assert.deepEqual(parseGate("--gate", "api/host=3"), { limit: "api", key: "host", cost: 3 })
    assert.deepEqual(parseGate("--gate", "api/a=3=1"), { limit: "api", key: "a=3", cost: 1 })
  })

  it("has a key with an equals sign where no number is behind it", () => {
    assert.deepEqual(parseGate("--gate", "api/q=x"), { limit: "api", key: "q=x", cost: 1 })
    assert.deepEqual(parseGate("--gate", "api/YQ=="), { limit: "api", key: "YQ==", cost: 1 })
  })

  it("with a cost that is none is refused", () => {
    for (const text of ["api/host=0", "api/host=-1", "api/host=1.5", "api=9007199254740993"]) {
      assert.throws(() => parseGate("--gate", text), {
        code: "invalid_cost",
        message: `--gate: expected a whole cost of 1 or more behind "=", got "${text}"`,
      })
    }
  })
})
