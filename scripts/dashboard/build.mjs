// The dashboard as the server sends it: one page, one script, one style sheet, one icon, named after what is in them, so that a browser
// never mixes those of two versions.
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const source = fileURLToPath(new URL("../../src/dashboard/", import.meta.url))
const plotStyle = join(createRequire(import.meta.url).resolve("uplot"), "../uPlot.min.css")

export async function buildDashboard(folders) {
  const files = await filesOf()
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of files) writeFileSync(join(folder, name), text)
  }
}

async function filesOf() {
  const styles = readdirSync(join(source, "style")).sort()
  const parts = {
    script: named("app", "js", await scriptText()),
    style: named(
      "app",
      "css",
      [plotStyle, ...styles.map((name) => join(source, "style", name))].map((path) => readFileSync(path, "utf8")).join("\n"),
    ),
    icon: named("icon", "svg", readFileSync(join(source, "icon.svg"), "utf8")),
  }
  const page = readFileSync(join(source, "index.html"), "utf8").replaceAll(/\{\{(script|style|icon)\}\}/g, (_all, part) => parts[part][0])
  return [["index.html", page], ...Object.values(parts)]
}

async function scriptText() {
  const bundle = await rolldown({ input: join(source, "main.tsx"), platform: "browser", tsconfig: join(source, "tsconfig.json") })
  const { output } = await bundle.generate({ format: "iife", minify: true, codeSplitting: false })
  await bundle.close()
  return output[0].code
}

function named(name, ending, text) {
  return [`${name}-${createHash("sha256").update(text).digest("hex").slice(0, 12)}.${ending}`, text]
}
