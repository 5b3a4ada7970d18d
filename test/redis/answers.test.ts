// What Lua cannot say is put back by the shapes: nulls, empty objects, holes in lists, tasks.

import assert from "node:assert/strict"
import { it } from "node:test"
import { Answers, type Shape } from "../../src/stores/redis/answers.ts"
import type { TaskRecord } from "../../src/task/index.ts"

const taskOf = (row: number) => ({ id: `row ${row}` }) as TaskRecord

function restored(shape: Shape, value: unknown, definitions: Readonly<Record<string, Shape>> = {}): unknown {
  return new Answers({ definitions, operations: { look: shape } }).restore("look", value, taskOf)
}

const thing: Shape = { object: { parts: { array: { ref: "thing" } }, by: { record: "task" } }, nulls: ["at", "parts"] }

for (const [what, shape, value, expected] of [
  ["what is plain stays", 0, { a: [] }, { a: [] }],
  ["what is absent and may be null is null", { object: {}, nulls: ["a", "b"] }, { b: 0 }, { a: null, b: 0 }],
  ["an object in which all was null came as an empty list", { object: {}, nulls: ["a"] }, [], { a: null }],
  ["a record without keys came as an empty list", { record: 0 }, [], {}],
  ["a task is the number of its row", { array: "task" }, [1, 0], [{ id: "row 1" }, { id: "row 0" }]],
  ["a hole is null", { array: "task", holes: true }, [false, 0], [null, { id: "row 0" }]],
  ["false is no hole where there are none", { array: 0 }, [false], [false]],
  ["what is optional stays absent", { object: { a: "task" }, nulls: [] }, { b: 1 }, { b: 1 }],
  [
    "of several the one that its mark tells",
    {
      union: [
        { is: { kind: ["a"] }, shape: { object: {}, nulls: ["x"] } },
        { is: { kind: ["b", "c"] }, shape: { object: { task: "task" }, nulls: ["y"] } },
      ],
    },
    { kind: "c", task: 2 },
    { kind: "c", task: { id: "row 2" }, y: null },
  ],
  [
    "or that has what only it has",
    {
      union: [
        { is: { a: null }, shape: { object: {}, nulls: ["x"] } },
        { is: {}, shape: { object: {}, nulls: ["y"] } },
      ],
    },
    { b: 1 },
    { b: 1, y: null },
  ],
] as const satisfies readonly (readonly [string, Shape, unknown, unknown])[]) {
  it(what, () => assert.deepEqual(restored(shape, value), expected))
}

it("a shape may name itself", () => {
  assert.deepEqual(restored({ ref: "thing" }, { parts: [[], { at: 1, by: { a: 3 } }] }, { thing }), {
    ...{
      at: null,
      parts: [
        { at: null, parts: null },
        { at: 1, parts: null, by: { a: { id: "row 3" } } },
      ],
    },
  })
})
