// Which files are compiled: those that the entry needs, each found where a name is declared and not by the index of its folder, so
// that a step does not bring along what only people need (parsing of options, texts, ids).
import { dirname, join, resolve } from "node:path"
import ts from "typescript"

/** What has to be written differently for Lua stands in the folder of that name; the rest of the file's name tells what it replaces. */
const replaced = {
  "src/errors/error.ts": "src/stores/redis/script/replaced/error.ts",
  "src/units/instant.ts": "src/stores/redis/script/replaced/instant.ts",
  "src/task/copy.ts": "src/stores/redis/script/replaced/copy.ts",
}

export class Graph {
  constructor(program, root) {
    this.checker = program.getTypeChecker()
    this.program = program
    this.replaced = new Map(Object.entries(replaced).map(([from, to]) => [join(root, from), join(root, to)]))
  }

  /** What a file imports as values: the name here, the name there, and the file that declares it. */
  importsOf(file) {
    const found = []
    for (const statement of file.statements) {
      if (!ts.isImportDeclaration(statement)) continue
      const clause = statement.importClause
      if (!clause || clause.isTypeOnly) continue
      if (clause.name || !clause.namedBindings || !ts.isNamedImports(clause.namedBindings))
        throw new Error(`${file.fileName}: expected imports by name, got ${statement.getText(file)}`)
      for (const specifier of clause.namedBindings.elements) if (!specifier.isTypeOnly) found.push(this.target(file, specifier))
    }
    return found
  }

  target(file, specifier) {
    const symbol = this.checker.getAliasedSymbol(this.checker.getSymbolAtLocation(specifier.name))
    const declaration = symbol.declarations?.[0]
    if (!declaration) throw new Error(`${file.fileName}: nothing declares ${specifier.getText(file)}`)
    const path = declaration.getSourceFile().fileName
    return {
      local: specifier.name.text,
      name: symbol.name,
      path: this.replaced.get(path) ?? path,
      isFunction: ts.isFunctionDeclaration(declaration),
    }
  }

  /** In the order in which they can be loaded: whatever a file needs comes before it. */
  reach(entry) {
    const order = []
    const state = new Map()
    const visit = (path, from) => {
      if (state.get(path) === "done") return
      if (state.get(path) === "open") throw new Error(`a circle of imports: ${[...from, path].join(" → ")}`)
      state.set(path, "open")
      const file = this.program.getSourceFile(path)
      if (!file) throw new Error(`${path} is not part of the program; needed by ${from.at(-1)}`)
      for (const next of new Set(this.importsOf(file).map((one) => one.path))) visit(next, [...from, path])
      state.set(path, "done")
      order.push(file)
    }
    visit(resolve(entry), [])
    return order
  }
}

export function rootOf(url) {
  return resolve(dirname(url), "../..")
}
