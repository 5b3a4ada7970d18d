// What means one thing in JavaScript and another in the Lua that it is compiled to. Lua has one nil for null and undefined, which
// cannot stand in a table; 0 and "" are true there; the keys of a table have no order. Each rule here refuses a way to write
// something whose meaning would change.
import ts from "typescript"

const { SyntaxKind, TypeFlags } = ts

/** What is wrong with the file, a line each. */
export function guard(program, file) {
  const checker = program.getTypeChecker()
  const problems = []
  const tell = (node, text) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
    problems.push(`${file.fileName}:${line + 1}: ${text}`)
  }
  const parts = (type) => (type.isUnion() ? type.types : [type])
  const has = (type, flags) => parts(type).some((part) => (part.flags & flags) !== 0)
  const typeOf = (node) => checker.getTypeAtLocation(node)
  const isNullable = (type) => has(type, TypeFlags.Null | TypeFlags.Undefined | TypeFlags.Void)
  const isFalsyValue = (type) => has(type, TypeFlags.NumberLike | TypeFlags.StringLike | TypeFlags.BigIntLike)

  const condition = (node) => {
    if (ts.isParenthesizedExpression(node)) return condition(node.expression)
    if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) return
    if (ts.isBinaryExpression(node) && isLogical(node.operatorToken.kind)) return
    if (isFalsyValue(typeOf(node)))
      tell(node, `"${node.getText(file)}" is a number or a text as a condition: 0 and "" are true in Lua; compare it`)
  }

  const literal = (node) => {
    let spread = false
    for (const member of node.properties) {
      if (ts.isSpreadAssignment(member)) {
        if (spread)
          for (const property of checker.getNonNullableType(typeOf(member.expression)).getProperties()) {
            const type = checker.getTypeOfSymbolAtLocation(property, member)
            if (has(type, TypeFlags.Null))
              tell(member, `spreads "${property.name}", which may be null, over what was spread before: null would not replace it`)
          }
        spread = true
      }
    }
  }

  const elements = (node, type) => {
    for (const part of parts(type)) {
      const name = part.symbol?.name
      const args = checker.getTypeArguments?.(part) ?? []
      const value = name === "Array" || name === "ReadonlyArray" ? args[0] : name === "Map" || name === "ReadonlyMap" ? args[1] : undefined
      if (value && isNullable(value)) tell(node, `a ${name} whose elements may be null: nil cannot stand in a table`)
    }
  }

  const compare = (node) => {
    const sides = [node.left, node.right]
    const literalSide = sides.find((side) => side.kind === SyntaxKind.NullKeyword || (ts.isIdentifier(side) && side.text === "undefined"))
    if (!literalSide) return
    const type = typeOf(sides.find((side) => side !== literalSide))
    if (has(type, TypeFlags.Null) && has(type, TypeFlags.Undefined))
      tell(node, `"${node.getText(file)}": null and undefined are the same nil in Lua`)
  }

  const visit = (node) => {
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return
    if (ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node)) condition(node.expression)
    else if (ts.isConditionalExpression(node) || (ts.isForStatement(node) && node.condition)) condition(node.condition)
    else if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) condition(node.operand)
    else if (ts.isBinaryExpression(node)) {
      const kind = node.operatorToken.kind
      if (isLogical(kind)) {
        condition(node.left)
        const isCondition = ts.isBinaryExpression(node.parent) && isLogical(node.parent.operatorToken.kind)
        if (isCondition && node.parent.left === node) condition(node.right)
      }
      if (kind === SyntaxKind.EqualsEqualsEqualsToken || kind === SyntaxKind.ExclamationEqualsEqualsToken) compare(node)
    } else if (ts.isObjectLiteralExpression(node)) literal(node)
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier && !node.isTypeOnly)
      tell(node, "exports what another file declares: import it from there")
    else if (ts.isObjectBindingPattern(node) && node.elements.some(({ dotDotDotToken }) => dotDotDotToken)) {
      if (node.elements.some(({ propertyName }) => propertyName && ts.isComputedPropertyName(propertyName)))
        tell(node, "a rest beside a computed name: it would have that name too")
    } else if (ts.isForInStatement(node)) tell(node, "for … in: the keys of a table have no order")
    else if (ts.isGetAccessor(node) || ts.isSetAccessor(node)) tell(node, "an accessor makes every access to the class slow")
    if (ts.isCallExpression(node) && /^Math\.(min|max)$/.test(node.expression.getText(file)) && node.arguments.every(ts.isSpreadElement))
      tell(node, "the least or the most of nothing is an error in Lua: name a first")
    if (ts.isCallExpression(node) || ts.isNewExpression(node) || ts.isArrayLiteralExpression(node)) elements(node, typeOf(node))
    if (ts.isPropertyAccessExpression(node)) {
      const name = node.name.text
      if (ts.isIdentifier(node.expression) && node.expression.text === "Object" && ["keys", "values", "entries"].includes(name)) {
        if (!/order does not matter/.test(file.text.slice(0, node.getStart(file)).split("\n").slice(-3).join("\n")))
          tell(node, `Object.${name}: the keys of a table have no order; say "order does not matter" above it where that is so`)
      }
      if (name === "length" && has(typeOf(node.expression), TypeFlags.StringLike)) tell(node, "the length of a text is in bytes in Lua")
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return problems
}

function isLogical(kind) {
  return kind === SyntaxKind.BarBarToken || kind === SyntaxKind.AmpersandAmpersandToken
}
