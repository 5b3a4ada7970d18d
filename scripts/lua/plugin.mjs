// What the compiler does otherwise than we need it. Imports go straight to the file that declares a name; a function is
// fetched when it is first called, so that a step loads no more than it uses. And what a literal sets after something was spread into it
// is assigned: `{ ...a, x: null }` has no x in Lua either. A list is appended, and the most of a list looked for, without laying it out
// on the stack, where some thousand find no room.
import ts from "typescript"
import * as lua from "typescript-to-lua/dist/LuaAST.js"

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

/** `...list` of an array: other things that can be spread are small. */
function isListSpread(node, context) {
  if (!ts.isSpreadElement(node)) return false
  const type = context.checker.getTypeAtLocation(node.expression)
  return context.checker.isArrayType(type)
}

/** "min" or "max", where it is one of Math's. */
function boundOf(node) {
  if (!ts.isPropertyAccessExpression(node) || !ts.isIdentifier(node.expression) || node.expression.text !== "Math") return undefined
  return ["min", "max"].find((name) => name === node.name.text)
}
