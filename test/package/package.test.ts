// The packed package in an empty project: the tutorial word for word, the README's smallest program, what it brings along and what it leaves out.

import { deepEqual, equal, match, ok } from "node:assert/strict"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join, resolve } from "node:path"
import { after, before, describe, it } from "node:test"
import { promisify } from "node:util"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { installPacked, type Packed } from "./packed.ts"

const run = promisify(execFile)
let packed: Packed
before(async () => {
  packed = await installPacked()
})
after(() => packed?.remove())

const { SLUICE_STORE: _, ...env } = process.env
const inProject = (command: string, args: readonly string[]) => run(command, [...args], { cwd: packed.folder, env })
const program = (code: string) => inProject(process.execPath, ["--input-type=module", "-e", code])

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const { port } = probe.address() as AddressInfo
  await new Promise((closed) => probe.close(closed))
  return port
}

/** What npx finds, without the second that it takes each time. */
const npx = 'npx() { local name=$1; shift; "./node_modules/.bin/$name" "$@"; }'
/** Not everybody has it. */
const curl = `curl() { node -e 'fetch(process.argv[1]).then((answer) => answer.text()).then(console.log)' "$2"; }`
const untilReady = (port: number) => `for i in $(seq 100); do curl -s http://127.0.0.1:${port}/ >/dev/null 2>&1 && break; done`

describe("the packed package", { timeout: 180_000 }, () => {
  it("brings its own dependencies and no client library of a store", () => {
    const installed = readdirSync(join(packed.folder, "node_modules"))
    ok(installed.includes("sluice") && installed.includes("libsql"))
    for (const peer of ["pg", "@redis"]) ok(!installed.includes(peer), `expected no ${peer}`)
    const { scripts } = JSON.parse(readFileSync(join(packed.folder, "node_modules/sluice/package.json"), "utf8")) as {
      scripts: Record<string, string>
    }
    deepEqual(
      ["preinstall", "install", "postinstall", "prepare"].filter((name) => name in scripts),
      [],
    )
  })

  it("has files for everything that it exports", () => {
    const own = join(packed.folder, "node_modules/sluice")
    const { exports, bin } = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as {
      exports: Record<string, string | Record<string, string>>
      bin: Record<string, string>
    }
    const files = [
      ...Object.values(exports).flatMap((one) => (typeof one === "string" ? [one] : Object.values(one))),
      ...Object.values(bin),
    ]
    for (const file of files) ok(existsSync(join(own, file)), `expected ${file} in the package`)
    for (const file of ["CHANGELOG.md", "LICENSE", "README.md", "dist/dashboard/index.html"])
      ok(existsSync(join(own, file)), `expected ${file}`)
  })

  it("is in order for publint and for are-the-types-wrong, as ESM", async () => {
    const data = readFileSync(join(packed.folder, packed.tarball))
    const tarball = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
    deepEqual(
      messages.map((message) => formatMessage(message, pkg)),
      [],
    )
    const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(data)))
    ok(analysis.types !== false && "problems" in analysis && Object.keys(analysis.entrypoints).length >= 11)
    // Who requires it, or resolves as Node 10 did, is told that it is ESM: it is.
    const elsewhere = ["node10", "node16-cjs"]
    deepEqual(
      analysis.problems.filter((problem) => !("resolutionKind" in problem && elsewhere.includes(problem.resolutionKind))),
      [],
    )
  })

  it("has declarations that compile where none of its peers is, libraries checked too", async () => {
    const entries = [
      "sluice",
      "sluice/http",
      "sluice/metrics",
      "sluice/telemetry",
      "sluice/testing",
      "sluice/stores/redis",
      "sluice/stores/postgres",
    ]
    const imports = entries.map((name, i) => `import * as m${i} from "${name}"\nvoid m${i}`)
    writeFileSync(join(packed.folder, "every.ts"), imports.join("\n"))
    const compilerOptions = {
      ...{ target: "es2022", module: "nodenext", strict: true, noEmit: true, skipLibCheck: false },
      ...{ types: ["node"], typeRoots: [resolve("node_modules/@types")] },
    }
    writeFileSync(join(packed.folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["every.ts"] }))
    const tsc = resolve("node_modules/typescript/bin/tsc")
    const compiled = await inProject(process.execPath, [tsc, "-p", "."]).catch((error: { stdout: string }) => error)
    equal(compiled.stdout, "")
  })

  it("has a bill of materials in which everything has a licence, and nothing that it brings runs a script when it is installed", async () => {
    const { stdout } = await inProject("npm", ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev"])
    const { components } = JSON.parse(stdout) as { components: readonly { name: string; licenses?: readonly unknown[] }[] }
    for (const name of ["commander", "croner", "hono", "jiti", "libsql", "sluice", "zod"])
      ok(
        components.some((component) => component.name === name),
        `expected ${name}`,
      )
    deepEqual(
      components.filter(({ licenses }) => (licenses?.length ?? 0) === 0).map(({ name }) => name),
      [],
    )
    const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
      packages: Record<string, { hasInstallScript?: boolean; dev?: boolean }>
    }
    deepEqual(
      Object.entries(packages).flatMap(([path, { hasInstallScript, dev }]) => (hasInstallScript && !dev ? [path] : [])),
      [],
    )
  })

  for (const [url, name] of Object.entries({ "redis://127.0.0.1:1": "@redis/client", "postgres://127.0.0.1:1/x": "pg" })) {
    it(`says to install ${name} when it is asked for, and not before`, async () => {
      const { stdout } = await program(
        `import { connect } from "sluice"; await connect(${JSON.stringify(url)}).catch((error) => console.log(error.code, error.message))`,
      )
      match(stdout, new RegExp(`^missing_dependency .*npm install ${name}`))
    })
  }

  it("says what to install for roles of AWS, which S3 alone may need", async () => {
    const { stdout } = await run(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        'import { connect } from "sluice"; await connect("s3://bucket/x?endpoint=http://127.0.0.1:1").catch((error) => console.log(error.code, error.message))',
      ],
      { cwd: packed.folder, env: { PATH: env.PATH, HOME: packed.folder, AWS_EC2_METADATA_DISABLED: "true" } },
    )
    match(stdout, /^store_denied .*found none; for roles and SSO install @aws-sdk\/credential-providers/)
  })

  it("runs the README's smallest program", async () => {
    const server = createServer((_request, response) => response.writeHead(200, { "content-type": "application/json" }).end('{"n": 1}'))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const [, shown = ""] = /```ts\n([\s\S]*?)```/.exec(readFileSync("README.md", "utf8")) ?? []
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    writeFileSync(
      join(packed.folder, "smallest.ts"),
      shown.replace("https://api.example.com/orders", address).replace("sluice.db", "smallest.db"),
    )
    const child = spawn(process.execPath, ["node_modules/jiti/lib/jiti-cli.mjs", "smallest.ts"], {
      ...{ cwd: packed.folder, env },
      stdio: ["ignore", "pipe", "inherit"],
    })
    try {
      const [said] = (await once(child.stdout, "data")) as [Buffer]
      match(String(said), /Task .* \(call_api\) is pending\.|is running/)
      let counts: Record<string, number> = {}
      while (counts.completed !== 1) {
        ok(child.exitCode === null)
        counts = JSON.parse(
          (await inProject("npx", ["sluice", "counts", "--json", "--store", "sqlite:./smallest.db"])).stdout,
        ) as typeof counts
      }
    } finally {
      child.kill("SIGKILL")
      await once(child, "exit")
      server.close()
      server.closeAllConnections()
    }
  })

  it("gets from an empty folder to a task that is completed and explained by what the README says, word for word", async () => {
    const server = createServer((_request, response) => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const [, block = ""] = /## From an empty folder\n\n```sh\n([\s\S]*?)```/.exec(readFileSync("README.md", "utf8")) ?? []
    const [init, install, ...commands] = block
      .trimEnd()
      .split("\n")
      .map((line) => line.replace(/ +#.*$/, "").replace("https://api.example.com", `http://127.0.0.1:${port}`))
    deepEqual([init, install], ["npm init -y", `npm install ./${packed.tarball}`])
    // Beside what the tutorial writes; what is installed is found from here as well.
    const cwd = join(packed.folder, "readme")
    mkdirSync(cwd)
    const npxAbove = 'npx() { local name=$1; shift; "../node_modules/.bin/$name" "$@"; }'
    try {
      let id = ""
      let said = ""
      for (const command of commands) {
        const { stdout } = await run("bash", ["-e", "-c", `${npxAbove}\n${command.replace("<id>", id)}`], { cwd, env })
        if (command.includes("submit.ts")) id = stdout.trimEnd().split("\n").at(-1)?.split(" ")[0] ?? ""
        said += stdout
      }
      match(said, new RegExp(`Gate api/127\\.0\\.0\\.1:${port} holds it: 0 of 2 in 1s, 0 of 2 slots; 4 pass before it`))
      match(said, /Version 3: completed\n$/)
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })

  it("is what the tutorial says, word for word", async () => {
    const port = await freePort()
    const page = readFileSync("docs/tutorial.md", "utf8").replaceAll("8080", String(port))
    const blocks = [...page.matchAll(/```(sh|js|ts)\n([\s\S]*?)```/g)].map(([, kind = "", text = ""]) => ({ kind, text }))
    const [install, background, ...commands] = blocks.filter(({ kind }) => kind === "sh").map(({ text }) => text)
    // That is what was done, with the versions of the lock.
    equal(install, `npm init -y\nnpm install ./${packed.tarball}\n`)
    equal(background, "node api.mjs &\n")
    writeFileSync(join(packed.folder, "api.mjs"), blocks.find(({ kind }) => kind === "js")?.text ?? "")
    const api = spawn(process.execPath, ["api.mjs"], { cwd: packed.folder, stdio: "ignore" })
    try {
      const { stdout } = await inProject("bash", ["-e", "-o", "pipefail", "-c", [npx, curl, untilReady(port), ...commands].join("\n")])
      for (const snippet of blocks.filter(({ kind }) => kind === "ts"))
        ok(
          ["limits.ts", "tasks.ts"].some((file) => readFileSync(join(packed.folder, file), "utf8").includes(snippet.text)),
          snippet.text,
        )
      match(stdout, /Wrote limits\.ts, tasks\.ts, submit\.ts\./)
      match(stdout, /may start now\n.*may start now\n.*may start in 1\.5 s\n.*may start in 1\.5 s\n.*may start in 3 s/)
      match(stdout, new RegExp(`Gate api/127\\.0\\.0\\.1:${port} holds it: 0 of 2 in 1s, 0 of 2 slots; 4 pass before it`))
      match(stdout, /It is number 5 in its lane: 4 tasks of type call_api ahead of it\.\nNo live worker handles call_api: start one/)
      match(stdout, /Version 1: pending \(created\)\nVersion 2: running \(claimed by .*\)\nVersion 3: completed\n\{"refused": 0\}/)
      match(stdout, /^api +.*1\/1s/m)
    } finally {
      api.kill()
    }
  })
})
