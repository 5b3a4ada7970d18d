// node:sqlite warns of itself when it is loaded, on runtimes where it is new: a line on stderr of every command. What it may change is what
// the tests of this store would notice, and nobody who runs a queue can do anything about it. Every other warning goes its way.

export function quietly<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = ((...given: Parameters<typeof emitWarning>) => {
    if (!String(given[0]).startsWith("SQLite is an experimental feature")) emitWarning.call(process, ...given)
  }) as typeof emitWarning
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}
