// Which functions of the steps reach the records, directly or by others: those have to be waited for.
import { basename } from "node:path"

/** What a store implements: each of these may have to ask a server. */
const asked = new Set(["Records", "LimitRecords", "JobRecords", "ScheduleRecords", "CallRecords", "Backlog"])

export class Reach {
  constructor(ts, program, files) {
    this.ts = ts
    this.checker = program.getTypeChecker()
    this.files = new Set(files)
    /** Functions, methods and function expressions that wait. */
    this.waiting = new Set()
    this.methodsByName = new Map()
    const functions = []
    const collect = (node) => {
      if (ts.isFunctionLike(node) && node.body) {
        functions.push(node)
        if (ts.isMethodDeclaration(node)) {
          const name = node.name.getText()
          this.methodsByName.set(name, [...(this.methodsByName.get(name) ?? []), node])
        }
      }
      ts.forEachChild(node, collect)
    }
    for (const file of files) collect(file)
    for (let before = -1; before !== this.waiting.size; ) {
      before = this.waiting.size
      for (const one of functions) if (!this.waiting.has(one) && this.waits(one.body)) this.waiting.add(one)
    }
  }

  touches(file) {
    return [...this.waiting].some((one) => one.getSourceFile() === file)
  }

  /** Whether something in it has to be awaited, not counting what is inside of functions of its own. */
  waits(node) {
    const { ts } = this
    if (ts.isCallExpression(node) && (this.isAwaited(node) || this.eachOf(node))) return true
    let found = false
    ts.forEachChild(node, (child) => {
      found ||= !ts.isFunctionLike(child) && this.waits(child)
    })
    return found
  }

  /** A call of something that waits. */
  isAwaited(call) {
    const { ts } = this
    const declaration = this.declarationOf(call.expression)
    if (!declaration) return false
    if (ts.isMethodSignature(declaration)) {
      if (asked.has(declaration.parent.name?.text)) return true
      if (!this.files.has(declaration.getSourceFile())) return false
      return this.anyWaits(declaration.name.getText())
    }
    if (this.waiting.has(declaration)) return true
    if (ts.isMethodDeclaration(declaration)) return this.anyWaits(declaration.name.getText()) && this.files.has(declaration.getSourceFile())
    return this.isValue(declaration) && this.mayWait(declaration)
  }

  anyWaits(name) {
    return (this.methodsByName.get(name) ?? []).some((one) => this.waiting.has(one))
  }

  /** A function that is handed around: a parameter, a field, a variable. */
  isValue(declaration) {
    const { ts } = this
    if (!this.files.has(declaration.getSourceFile())) return false
    return (
      ts.isParameter(declaration) ||
      ts.isPropertyDeclaration(declaration) ||
      ts.isPropertySignature(declaration) ||
      ts.isVariableDeclaration(declaration) ||
      ts.isBindingElement(declaration)
    )
  }

  /** Where the very function is known it tells; else it is taken to wait: to await what is there already does no harm. */
  mayWait(declaration) {
    const { ts } = this
    const value = ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined
    return value && ts.isFunctionLike(value) ? this.waiting.has(value) : true
  }

  declarationOf(expression) {
    const { ts, checker } = this
    let node = expression
    while (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) node = node.expression
    const name = ts.isPropertyAccessExpression(node) ? node.name : node
    let symbol = checker.getSymbolAtLocation(name)
    // steps.ts: changing[name](…) is asked by whoever knows the name.
    if (!symbol) return undefined
    if (symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol)
    return symbol.valueDeclaration ?? symbol.declarations?.[0]
  }

  /** `list.map(f)` and its like, where f waits: the name, or null. */
  eachOf(call) {
    const { ts } = this
    if (!ts.isPropertyAccessExpression(call.expression) || call.arguments.length === 0) return null
    const declaration = this.declarationOf(call.expression)
    if (!declaration || this.files.has(declaration.getSourceFile())) return null
    return call.arguments.some((one) => this.isWaitingFunction(one)) ? call.expression.name.text : null
  }

  isWaitingFunction(node) {
    const { ts } = this
    if (ts.isFunctionLike(node)) return this.waiting.has(node)
    if (!ts.isIdentifier(node)) return false
    const declaration = this.declarationOf(node)
    if (!declaration) return false
    return this.waiting.has(declaration) || (this.isFunction(node) && this.isValue(declaration) && this.mayWait(declaration))
  }

  isFunction(node) {
    return this.checker.getTypeAtLocation(node).getCallSignatures().length > 0
  }

  where(node) {
    const file = node.getSourceFile()
    const { line } = file.getLineAndCharacterOfPosition(node.getStart())
    return `src/store/${basename(file.fileName)}:${line + 1}`
  }
}
