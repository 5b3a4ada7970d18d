// What tests of the suite say often about lists of tasks.

import { deepEqual, equal } from "node:assert/strict"

export function only<T>(items: readonly T[]): T {
  equal(items.length, 1, `expected one, got ${items.length}`)
  return items[0] as T
}

/** The same tasks in the same order. */
export function sameTasks(actual: readonly { readonly id: string }[], expected: readonly { readonly id: string }[]): void {
  deepEqual(ids(actual), ids(expected))
}

export function ids(tasks: readonly { readonly id: string }[]): string[] {
  return tasks.map(({ id }) => id)
}
