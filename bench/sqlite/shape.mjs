// The shape of what a run leaves in Sluice's tables: for every column how many values, and what they add up to: numbers as they
// are, texts and times by their length, because those differ from run to run. Sluice and the raw writers must leave the same,
// else they were not compared on the same rows.

const tables = ["tasks", "tallies", "workers"]

export function shapeOf(database) {
  // What still stands in the log is brought into the file, so that its size is that of the rows.
  database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").rows()
  const shape = {}
  for (const table of tables) {
    const columns = database
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .rows()
      .map(([name]) => name)
    const size = (name) => `CASE WHEN typeof(${name}) = 'integer' AND abs(${name}) < 1000000000 THEN ${name} ELSE length(${name}) END`
    const sums = columns.map((name) => `count(${name}), total(${size(name)})`)
    const [row] = database.prepare(`SELECT ${sums.join(", ")} FROM ${table}`).rows()
    for (const [i, name] of columns.entries()) shape[`${table}.${name}`] = `${row[2 * i]} values, sum ${row[2 * i + 1]}`
  }
  return shape
}

/** Where the two differ, in words. */
export function shapeDifferences(shape, other) {
  return Object.keys(shape).filter((column) => shape[column] !== other[column])
}
