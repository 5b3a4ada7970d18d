// What the compiler does otherwise than we need it. Imports go straight to the file that declares a name; a function is
// fetched when it is first called, so that a step loads no more than it uses. And what a literal sets after something was spread into it
// is assigned: `{ ...a, x: null }` has no x in Lua either. A list is appended, and the most of a list looked for, without laying it out
// on the stack, where some thousand find no room. A list whose places are counted is gone through without a pair for each. And texts are put
// together at once: from left to right, each part would make a text of its own.
import ts from "typescript"
import * as lua from "typescript-to-lua/dist/LuaAST.js"
import { transformIdentifier } from "typescript-to-lua/dist/transformation/visitors/identifier.js"
import { transformLoopBody } from "typescript-to-lua/dist/transformation/visitors/loops/utils.js"

export function plugin(graph, moduleName) {
  return {
    visitors: {
      [ts.SyntaxKind.ImportDeclaration]: (node, context) => {
        if (node.importClause?.isTypeOnly) return []
        const statements = []
        for (const specifier of node.importClause.namedBindings.elements) {
          if (specifier.isTypeOnly) continue
          const { local, name, path, isFunction } = graph.target(context.sourceFile, specifier)
          const own = () => lua.createIdentifier(local)
          const used = lua.createCallExpression(lua.createIdentifier("use"), [lua.createStringLiteral(moduleName(path))])
          const value = lua.createTableIndexExpression(used, lua.createStringLiteral(name))
          if (!isFunction) statements.push(lua.createVariableDeclarationStatement(own(), value))
          else {
            const call = lua.createCallExpression(own(), [lua.createDotsLiteral()])
            const body = lua.createBlock([lua.createAssignmentStatement(own(), value), lua.createReturnStatement([call])])
            const fetch = lua.createFunctionExpression(body, undefined, lua.createDotsLiteral())
            statements.push(lua.createVariableDeclarationStatement(own()), lua.createAssignmentStatement(own(), fetch))
          }
        }
        // Before functions, which the compiler moves up.
        const scope = context.scopeStack.at(-1)
        scope.importStatements ??= []
        scope.importStatements.push(...statements)
        return []
      },
      [ts.SyntaxKind.ForOfStatement]: (node, context) => {
        const counted = countedList(node, context)
        if (!counted) return context.superTransformStatements(node)
        const [place, value] = counted.names.map((name) => transformIdentifier(context, name))
        const at = lua.createIdentifier(context.createTempName("at"))
        const before = lua.createBinaryExpression(lua.cloneIdentifier(at), lua.createNumericLiteral(1), lua.SyntaxKind.SubtractionOperator)
        const body = lua.createBlock([lua.createVariableDeclarationStatement(place, before), ...transformLoopBody(context, node)])
        const all = lua.createCallExpression(lua.createIdentifier("ipairs"), [context.transformExpression(counted.list)])
        return lua.createForInStatement(body, [at, value], [all], node)
      },
      [ts.SyntaxKind.ArrayLiteralExpression]: (node, context) => {
        if (!node.elements.some((element) => isListSpread(element, context))) return context.superTransformExpression(node)
        const result = lua.createIdentifier(context.createTempName("list"))
        context.addPrecedingStatements(lua.createVariableDeclarationStatement(lua.cloneIdentifier(result), lua.createTableExpression([])))
        for (const element of node.elements) {
          const [name, value] = isListSpread(element, context)
            ? ["appendAll", context.transformExpression(element.expression)]
            : ts.isSpreadElement(element)
              ? ["appendAll", lua.createTableExpression([lua.createTableFieldExpression(context.transformExpression(element))])]
              : ["append", context.transformExpression(element)]
          context.addPrecedingStatements(
            lua.createExpressionStatement(lua.createCallExpression(lua.createIdentifier(name), [lua.cloneIdentifier(result), value])),
          )
        }
        return result
      },
      [ts.SyntaxKind.CallExpression]: (node, context) => {
        const name = boundOf(node.expression)
        if (!name || !node.arguments.some((value) => isListSpread(value, context))) return context.superTransformExpression(node)
        const values = node.arguments.map((value) =>
          ts.isSpreadElement(value)
            ? lua.createCallExpression(lua.createIdentifier(`${name}Of`), [context.transformExpression(value.expression)])
            : context.transformExpression(value),
        )
        const math = lua.createTableIndexExpression(lua.createIdentifier("math"), lua.createStringLiteral(name))
        return lua.createCallExpression(math, values)
      },
      [ts.SyntaxKind.BinaryExpression]: (node, context) => joined(context.superTransformExpression(node)),
      [ts.SyntaxKind.TemplateExpression]: (node, context) => joined(context.superTransformExpression(node)),
      [ts.SyntaxKind.ObjectLiteralExpression]: (node, context) => {
        const made = context.superTransformExpression(node)
        if (!node.properties.some(ts.isSpreadAssignment) || !lua.isCallExpression(made)) return made
        const [first, ...others] = made.params
        const result = lua.createIdentifier(context.createTempName("made"))
        const start = []
        // Spreads that come first are one call; what is set after them is assigned.
        while (others.length > 0 && !lua.isTableExpression(others[0])) start.push(others.shift())
        context.addPrecedingStatements(
          lua.createVariableDeclarationStatement(
            lua.cloneIdentifier(result),
            start.length > 0 ? lua.createCallExpression(made.expression, [first, ...start]) : first,
          ),
        )
        for (const part of others) {
          if (lua.isTableExpression(part))
            for (const field of part.fields)
              context.addPrecedingStatements(
                lua.createAssignmentStatement(lua.createTableIndexExpression(lua.cloneIdentifier(result), field.key), field.value),
              )
          else
            context.addPrecedingStatements(
              lua.createExpressionStatement(lua.createCallExpression(made.expression, [lua.cloneIdentifier(result), part])),
            )
        }
        return result
      },
    },
  }
}

/** `(a .. b) .. c` as `a .. (b .. c)`, which Lua does in one go. */
function joined(made) {
  const parts = partsOf(made)
  return parts.length < 3 ? made : parts.reduceRight((all, part) => lua.createBinaryExpression(part, all, lua.SyntaxKind.ConcatOperator))
}

function partsOf(node) {
  if (lua.isParenthesizedExpression(node)) return isJoin(node.expression) ? partsOf(node.expression) : [node]
  return isJoin(node) ? [...partsOf(node.left), ...partsOf(node.right)] : [node]
}

function isJoin(node) {
  return lua.isBinaryExpression(node) && node.operator === lua.SyntaxKind.ConcatOperator
}

/** `...list` of an array: other things that can be spread are small. */
function isListSpread(node, context) {
  if (!ts.isSpreadElement(node)) return false
  const type = context.checker.getTypeAtLocation(node.expression)
  return context.checker.isArrayType(type)
}

/** Of `for (const [place, value] of list.entries())`: the list and both names. */
function countedList({ expression, initializer }, context) {
  if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression)) return undefined
  const { expression: list, name } = expression.expression
  if (name.text !== "entries" || !context.checker.isArrayType(context.checker.getTypeAtLocation(list))) return undefined
  const pattern = ts.isVariableDeclarationList(initializer) ? initializer.declarations[0].name : undefined
  if (!pattern || !ts.isArrayBindingPattern(pattern) || pattern.elements.length !== 2) return undefined
  const names = pattern.elements.map((element) => (ts.isBindingElement(element) ? element.name : undefined))
  return names.every((one) => one && ts.isIdentifier(one)) ? { list, names } : undefined
}

/** "min" or "max", where it is one of Math's. */
function boundOf(node) {
  if (!ts.isPropertyAccessExpression(node) || !ts.isIdentifier(node.expression) || node.expression.text !== "Math") return undefined
  return ["min", "max"].find((name) => name === node.name.text)
}
