// Tasks that go through the layout inside Redis: packed and written as a step does, read again as the next step does, and told as rows.

import { Live } from "../../../src/stores/redis/script/live.ts"
import { newPast, readPast } from "../../../src/stores/redis/script/past.ts"
import { addRow, isLong, toLive } from "../../../src/stores/redis/script/row.ts"
import { cjson, encode } from "../../../src/stores/redis/script/server.ts"
import { copyStored, type StoredTask, setBase } from "../../../src/stores/redis/script/stored-task.ts"
import { Tasks } from "../../../src/stores/redis/script/tasks.ts"
import { Writes } from "../../../src/stores/redis/script/writes.ts"
import type { HistoryEntry, TaskRecord } from "../../../src/task/index.ts"

interface Given {
  readonly task: TaskRecord
  readonly entries: readonly HistoryEntry[]
}

/** For each task its row, the record as the script reads it, the same as a copy has it, and its history. */
export function run(this: void, [base = ""]: readonly string[], given: readonly string[]): readonly string[] {
  setBase(base)
  const all = given.map((text) => cjson.decode(text) as Given)
  for (const { task, entries } of all) write(base, task, entries)
  const answer: string[] = []
  for (const { task } of all) {
    const writes = new Writes()
    const tasks = new Tasks(base, writes)
    const [found] = tasks.records([task.id])
    if (!found) continue
    const copy = copyStored(found as StoredTask)
    addRow(answer, found)
    answer.push(plain(found), plain(copy))
    const { live } = tasks.entry(task.id) ?? { live: [] }
    answer.push(encode(readPast((live[Live.past] as string | undefined) ?? false, task.createdAtMs), () => undefined))
  }
  return answer
}

function write(base: string, task: TaskRecord, entries: readonly HistoryEntry[]): void {
  const writes = new Writes()
  const tasks = new Tasks(base, writes)
  const { output } = task
  if (output !== null && isLong(output)) writes.setField(`${base}outputs`, task.id, output)
  tasks.add(task, toLive(task, newPast(entries), output === null ? false : isLong(output) ? true : output))
  tasks.end()
  writes.end()
}

/** Without what only the script knows. Asked for its input and its output, a record has read what it had not. */
function plain(task: TaskRecord): string {
  const { input, output } = task
  const copy: StoredTask = {
    ...copyStored(task as StoredTask),
    input,
    output,
    entry: undefined,
    isFixedRead: undefined,
    isOutputApart: undefined,
  }
  return encode(copy, () => undefined)
}
