// What the script answers, put back to what the contract promises: Lua knows neither null nor an empty object, and tasks come as rows
// beside the text. `shapes.json`, made from the types of the contract together with the script, says what stands where.

import type { TaskRecord } from "../../task/index.ts"

export type Shape =
  /** As it came. */
  | 0
  /** The number of a row. */
  | "task"
  /** One of the definitions. */
  | { readonly ref: string }
  /** Where there are holes, false stands for null. */
  | { readonly array: Shape; readonly holes?: boolean }
  | { readonly record: Shape }
  /** Plain properties are left out; `nulls` are those that are null where they are absent. */
  | { readonly object: Readonly<Record<string, Shape>>; readonly nulls: readonly string[] }
  /** The first whose marks fit. */
  | { readonly union: readonly { readonly is: Marks; readonly shape: Shape }[] }

/** What a property has to be; null: that there is one. */
type Marks = Readonly<Record<string, readonly unknown[] | null>>

export interface Shapes {
  readonly definitions: Readonly<Record<string, Shape>>
  readonly operations: Readonly<Record<string, Shape>>
}

type Plain = Record<string, unknown>

export class Answers {
  private readonly shapes: Shapes

  constructor(shapes: Shapes) {
    this.shapes = shapes
  }

  /** In place: the value is nobody else's. */
  restore(operation: string, value: unknown, taskOf: (row: number) => TaskRecord): unknown {
    return this.by(this.shapes.operations[operation] ?? 0, value, taskOf)
  }

  private by(shape: Shape, value: unknown, taskOf: (row: number) => TaskRecord): unknown {
    if (shape === 0 || value === null || value === undefined) return value
    if (shape === "task") return taskOf(value as number)
    if ("ref" in shape) return this.by(this.shapes.definitions[shape.ref] ?? 0, value, taskOf)
    if (typeof value !== "object") return value
    if ("array" in shape) {
      const list = value as unknown[]
      for (let i = 0; i < list.length; i++) list[i] = shape.holes && list[i] === false ? null : this.by(shape.array, list[i], taskOf)
      return list
    }
    if ("union" in shape) return this.by(shape.union.find(({ is }) => fits(is, value as Plain))?.shape ?? 0, value, taskOf)
    // An empty table comes as an array.
    const found = Array.isArray(value) && value.length === 0 ? {} : (value as Plain)
    if ("record" in shape) {
      for (const name of Object.keys(found)) found[name] = this.by(shape.record, found[name], taskOf)
      return found
    }
    for (const name of Object.keys(shape.object)) {
      if (name in found) found[name] = this.by(shape.object[name] ?? 0, found[name], taskOf)
    }
    for (const name of shape.nulls) found[name] ??= null
    return found
  }
}

function fits(marks: Marks, found: Plain): boolean {
  return Object.entries(marks).every(([name, values]) => (values === null ? name in found : values.includes(found[name])))
}
