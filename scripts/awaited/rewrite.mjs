// One module of the steps with the words `async` and `await` where they are needed, as JavaScript.
import { basename } from "node:path"

/** What src/store/each.ts does one after the other. */
const each = new Set(["map", "flatMap", "filter", "some", "every", "find"])

export function rewrite(ts, reach, file, compiled, refuse) {
  const { factory } = ts
  let needsEach = false

  const visitor = (context) => {
    const visit = (node) => {
      if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node
      if (ts.isConstructorDeclaration(node) && reach.waits(node.body))
        refuse(`${reach.where(node)}: expected a constructor that asks no records`)
      if ((ts.isGetAccessor(node) || ts.isSetAccessor(node)) && reach.waiting.has(node))
        refuse(`${reach.where(node)}: expected no accessor that asks records`)
      if (ts.isPropertyDeclaration(node) && node.initializer && !ts.isFunctionLike(node.initializer) && reach.waits(node.initializer))
        refuse(`${reach.where(node)}: expected a field whose first value asks no records`)
      if (ts.isCallExpression(node)) {
        const name = reach.eachOf(node)
        if (name !== null) {
          if (!each.has(name))
            refuse(`${reach.where(node)}: expected one of ${[...each].join(", ")} with a function that asks records, got ${name}`)
          if (node.expression.questionDotToken && name !== "some") refuse(`${reach.where(node)}: expected ${name} of a list that is there`)
          needsEach = true
          const list = ts.visitNode(node.expression.expression, visit)
          const args = node.arguments.map((one) => ts.visitNode(one, visit))
          const called = factory.createPropertyAccessExpression(factory.createIdentifier("each"), name)
          return factory.createAwaitExpression(factory.createCallExpression(called, undefined, [list, ...args]))
        }
        const inner = ts.visitEachChild(node, visit, context)
        return reach.isAwaited(node) ? factory.createAwaitExpression(inner) : inner
      }
      if (ts.isFunctionLike(node) && reach.waiting.has(node) && !ts.isConstructorDeclaration(node))
        return asynchronous(ts, node, ts.visitEachChild(node, visit, context))
      return ts.visitEachChild(node, visit, context)
    }
    return (source) => ts.visitNode(source, visit)
  }

  const { transformed } = ts.transform(file, [visitor])
  const text = ts.createPrinter({ removeComments: true }).printFile(transformed[0])
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  })
  const names = new Set([...compiled].map((one) => `./${basename(one.fileName)}`))
  const moved = outputText.replace(/(from\s+)"(\.[^"]*)\.ts"/g, (_, from, path) => {
    if (names.has(`${path}.ts`)) return `${from}"${path}.js"`
    return `${from}"${path.startsWith("./") ? `.${path}` : `../${path}`}.js"`
  })
  return needsEach ? `import * as each from "../each.js"\n${moved}` : moved
}

function asynchronous(ts, before, node) {
  const { factory } = ts
  const modifiers = [...(node.modifiers ?? []), factory.createModifier(ts.SyntaxKind.AsyncKeyword)]
  if (ts.isArrowFunction(node))
    return factory.updateArrowFunction(
      node,
      modifiers,
      node.typeParameters,
      node.parameters,
      undefined,
      node.equalsGreaterThanToken,
      node.body,
    )
  if (ts.isFunctionDeclaration(node))
    return factory.updateFunctionDeclaration(
      node,
      modifiers,
      node.asteriskToken,
      node.name,
      node.typeParameters,
      node.parameters,
      undefined,
      node.body,
    )
  if (ts.isMethodDeclaration(node))
    return factory.updateMethodDeclaration(
      node,
      modifiers,
      node.asteriskToken,
      node.name,
      node.questionToken,
      node.typeParameters,
      node.parameters,
      undefined,
      node.body,
    )
  throw new Error(`expected a function, a method or an arrow, got ${ts.SyntaxKind[before.kind]}`)
}
