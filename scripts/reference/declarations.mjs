// The declarations that the package publishes, by the names of an entry: what the compiler wrote to dist, comments included, without what is
// private. The compiler writes each declaration from the first column on, which is all that is relied upon here.
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const files = new Map()

function read(file) {
  if (!files.has(file)) files.set(file, parse(readFileSync(file, "utf8"), dirname(file)))
  return files.get(file)
}

/** Of one file: its own declarations by name, and what it passes on from others. */
function parse(text, folder) {
  const declared = new Map()
  const passed = new Map()
  const starred = []
  const target = (path) => join(folder, path.replace(/\.[jt]s$/, ".d.ts"))
  for (const [, names, path] of text.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)";/gm))
    for (const name of names
      .split(",")
      .map((one) => one.trim().replace(/^type /, ""))
      .filter(Boolean)) {
      const [inner, outer = inner] = name.split(" as ")
      passed.set(outer, { name: inner, file: target(path) })
    }
  for (const [, path] of text.matchAll(/^export \* from "([^"]+)";/gm)) starred.push(target(path))
  const declaration =
    /((?:^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?)^export (?:declare )?(?:abstract )?(interface|type|class|function|const) (\w+)/gm
  for (const found of text.matchAll(declaration)) {
    const [, comment, kind, name] = found
    const code = bodyAt(text, found.index + comment.length)
    const before = declared.get(name)
    declared.set(name, before ? { ...before, code: `${before.code}\n${code}` } : { name, kind, comment: plain(comment), code })
  }
  return { declared, passed, starred }
}

/** To the end of the statement: a line of the first column that closes it. */
function bodyAt(text, from) {
  const lines = text.slice(from).split("\n")
  const end = /[;}]$/.test(lines[0])
    ? 0
    : lines.findIndex((line, i) => i > 0 && /^[\])}].*[;}]?$|^\S.*;$|^ {4}.*;$/.test(line) && isClosed(lines.slice(0, i + 1)))
  return lines
    .slice(0, (end === -1 ? 0 : end) + 1)
    .join("\n")
    .replace(/(?:^ {4}\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^ {4}(?:private|protected) [^\n]*;\n/gm, "")
    .replace(/^export (?:declare )?/, "")
}

function isClosed(lines) {
  const code = lines
    .join("\n")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/"[^"]*"/g, '""')
    .replace(/=>/g, "")
  const count = (pattern) => code.match(pattern)?.length ?? 0
  return count(/[{([<]/g) === count(/[})\]>]/g)
}

function plain(comment) {
  return comment
    .replace(/^\/\*\*|\*\/\s*$/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trim())
    .join(" ")
    .trim()
}

function find(file, name) {
  const { declared, passed, starred } = read(file)
  if (declared.has(name)) return declared.get(name)
  if (passed.has(name)) return { ...find(passed.get(name).file, passed.get(name).name), name }
  for (const other of starred) {
    const found = namesOf(other).includes(name) ? find(other, name) : null
    if (found) return found
  }
  throw new Error(`reference: expected a declaration of ${name} in ${file}`)
}

function namesOf(file) {
  const { declared, passed, starred } = read(file)
  return [...new Set([...declared.keys(), ...passed.keys(), ...starred.flatMap(namesOf)])]
}

/** Everything that an entry of the package exports: name, kind, comment, code. */
export function declarationsOf(file) {
  return namesOf(file).map((name) => find(file, name))
}
