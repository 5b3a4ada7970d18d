// The OpenAPI document is valid, and has what the table of routes has: no more and no less.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { Validator } from "@seriousme/openapi-schema-validator"
import { openApi, operationId } from "../../src/http/openapi.ts"
import { routes } from "../../src/http/routes/index.ts"

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, unknown>>
  readonly security?: readonly unknown[]
}

const document = openApi() as { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, unknown> } }

describe("the OpenAPI document", () => {
  it("is valid", async () => {
    const result = await new Validator().validate(structuredClone(document))
    assert.deepEqual([result.valid, result.errors], [true, undefined])
  })

  it("has every route, and nothing else", () => {
    const told = Object.entries(document.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
    assert.deepEqual(told.sort(), routes.map(({ method, path }) => `${method} ${path}`).sort())
    assert.equal(new Set(routes.map(operationId)).size, routes.length, "expected an id of its own for each")
  })

  for (const route of routes) {
    it(`tells what ${route.method.toUpperCase()} ${route.path} takes`, () => {
      const told = document.paths[route.path]?.[route.method]
      const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      assert.deepEqual(
        told?.parameters.filter((one) => one.in === "path").map(({ name }) => name),
        inPath,
      )
      assert.equal(told?.requestBody !== undefined, route.body !== undefined)
      assert.deepEqual(Object.keys(told?.responses ?? {}).sort(), [String(route.status ?? 200), "default"].sort())
      assert.equal(told?.security?.length === 0, route.access === "anyone")
    })
  }

  it("refers to nothing that is not there", () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name as string)
    assert.ok(refs.length > 20)
    for (const name of refs) assert.ok(Object.hasOwn(document.components.schemas, name), name)
  })
})
