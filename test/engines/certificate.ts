// A certificate for this machine that nobody's system trusts, made by openssl: what a server of one's own has.

import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { installed } from "./packages.ts"
import { findProgram } from "./programs.ts"

const folders = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
const wanted = { name: "openssl", packages: ["openssl"], others: "brew install openssl (macOS)" }
const look = () => findProgram(["openssl"], folders)

export interface Certificate {
  readonly certFile: string
  readonly keyFile: string
  readonly cert: Buffer
  readonly key: Buffer
}

/** `name`: the host that it is for. */
export function makeCertificate(folder: string, name = "localhost"): Certificate {
  const [certFile, keyFile] = [join(folder, `${name}.cert.pem`), join(folder, `${name}.key.pem`)]
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`]
  const args = ["req", "-x509", ...curve, "-keyout", keyFile, "-out", certFile, "-days", "2", ...subject]
  const { status, stderr } = spawnSync(look() ?? installed(wanted, look), args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`openssl: expected a certificate, but it failed:\n${stderr}`)
  return { certFile, keyFile, cert: readFileSync(certFile), key: readFileSync(keyFile) }
}
