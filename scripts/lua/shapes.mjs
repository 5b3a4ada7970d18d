// The shapes of the contract's answers, from its types. Lua has no null and does not tell an empty object from an empty array: by its
// shape a client puts back what an answer has lost. A shape is
//   0                                plain: nothing to restore
//   "task"                           the number of a row
//   { ref }                          one of the definitions, by name
//   { array, holes }, { record }     of shapes: a list, in which false stands for null where there are holes; an object with any keys
//   { object, nulls }                shapes by property (plain ones are left out), and which properties are null where they are absent
//   { union }                        objects of which the first holds whose `is` does: { property: [values] }, or null for "has it"
import { join } from "node:path"
import ts from "typescript"

const { TypeFlags } = ts

export function shapesOf(program, root) {
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(join(root, "src/store/contract.ts"))
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(file))
  const store = checker.getDeclaredTypeOfSymbol(exported.find(({ name }) => name === "Store"))
  const listed = checker.getTypeOfSymbol(exported.find(({ name }) => name === "operations"))
  const names = checker.getTypeArguments(listed).map((type) => type.value)
  const definitions = {}
  const named = new Map()

  const partsOf = (type) => (type.isUnion() ? type.types : [type])
  const isNothing = (type) => (type.flags & (TypeFlags.Null | TypeFlags.Undefined | TypeFlags.Void)) !== 0
  const hasNull = (type) => partsOf(type).some((part) => (part.flags & TypeFlags.Null) !== 0)
  const isObject = (type) => (type.flags & (TypeFlags.Object | TypeFlags.Intersection)) !== 0

  function shapeOf(type) {
    const objects = partsOf(type).filter((part) => !isNothing(part) && isObject(part))
    if (objects.length === 0) return 0
    if (objects.length === 1) return shapeOfObject(objects[0])
    const alternatives = objects.map((part) => ({ is: marksOf(part), shape: shapeOfObject(part) }))
    if (alternatives.every(({ shape }) => shape === 0)) return 0
    const told = Object.keys(alternatives[0].is).find((name) => alternatives.every(({ is }) => is[name]?.length === 1))
    return { union: alternatives.map(({ is, shape }) => ({ is: told ? { [told]: is[told] } : is, shape })) }
  }

  /** By what one of several is known: its literals, and what it always has. */
  function marksOf(type) {
    const found = {}
    for (const property of type.getProperties()) {
      const propertyType = checker.getTypeOfSymbol(property)
      const parts = partsOf(propertyType)
      if (parts.every((part) => part.isStringLiteral())) found[property.name] = parts.map((part) => part.value)
      else if ((property.flags & ts.SymbolFlags.Optional) === 0 && !hasNull(propertyType)) found[property.name] = null
    }
    return found
  }

  function shapeOfObject(type) {
    const name = (type.aliasSymbol ?? type.symbol)?.name
    if (name === "TaskRecord") return "task"
    if (name === "Array" || name === "ReadonlyArray") {
      const [element] = checker.getTypeArguments(type)
      const array = shapeOf(element)
      return hasNull(element) ? { array, holes: true } : array === 0 ? 0 : { array }
    }
    const index = type.getStringIndexType()
    if (index) return { record: shapeOf(index) }
    const isNamed = name !== undefined && !name.startsWith("__") && type.aliasTypeArguments === undefined
    if (!isNamed) return objectShape(type)
    if (!named.has(type)) {
      const key = named.size === 0 || !Object.hasOwn(definitions, name) ? name : `${name}${named.size}`
      named.set(type, key)
      // A type that names itself: it is told in full where it ends.
      definitions[key] = {}
      definitions[key] = objectShape(type)
    }
    return definitions[named.get(type)] === 0 ? 0 : { ref: named.get(type) }
  }

  function objectShape(type) {
    const object = {}
    const nulls = []
    for (const property of type.getProperties()) {
      const propertyType = checker.getTypeOfSymbol(property)
      if (hasNull(propertyType) && (property.flags & ts.SymbolFlags.Optional) === 0) nulls.push(property.name)
      const shape = shapeOf(propertyType)
      if (shape !== 0) object[property.name] = shape
    }
    // One that cannot be empty, and in which nothing is restored, is plain.
    const isNeverEmpty = type.getProperties().some(({ flags, name }) => (flags & ts.SymbolFlags.Optional) === 0 && !nulls.includes(name))
    return isNeverEmpty && nulls.length === 0 && Object.keys(object).length === 0 ? 0 : { object, nulls }
  }

  const operations = {}
  for (const name of names) {
    const method = store.getProperty(name)
    const [signature] = checker.getTypeOfSymbol(method).getCallSignatures()
    operations[name] = shapeOf(checker.getTypeArguments(signature.getReturnType())[0])
  }
  return { definitions, operations }
}
