// A heap gives back what was put in, in order, whatever is put in between.

import { deepEqual, equal } from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { Heap } from "../../../src/simulate/heap.ts"

describe("a heap", () => {
  it("gives the least of what is in it, each once", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer({ min: 0, max: 20 }), { nil: null })), (steps) => {
        const heap = new Heap<number>((a, b) => a < b)
        const model: number[] = []
        for (const step of steps) {
          if (step !== null) {
            heap.push(step)
            model.push(step)
          } else {
            const least = model.length > 0 ? Math.min(...model) : undefined
            equal(heap.peek(), least)
            equal(heap.pop(), least)
            if (least !== undefined) model.splice(model.indexOf(least), 1)
          }
          equal(heap.size, model.length)
        }
        const left: (number | undefined)[] = []
        while (heap.size > 0) left.push(heap.pop())
        deepEqual(
          left,
          model.sort((a, b) => a - b),
        )
      }),
    )
  })
})
