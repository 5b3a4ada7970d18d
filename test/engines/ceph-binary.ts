// Where Ceph's programs are: on the path or in the usual folders; else installed from the system's packages where that may be.

import { delimiter, join } from "node:path"
import { installed, isProgram } from "./postgres-packages.ts"

const programs = ["ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "ceph", "monmaptool"]
const packages = "ceph-mon ceph-osd radosgw ceph-common"
const folders = ["/usr/local/bin", "/usr/bin", "/usr/sbin"]

let found: string | null = null

/** The folder that has all of them. */
export function findCeph(): string {
  found ??= look() ?? installed("Ceph's S3 server (radosgw)", packages, look, "or name a running S3 server in SLUICE_TEST_S3_URL")
  return found
}

function look(): string | null {
  const onPath = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "")
  return [...onPath, ...folders].find((folder) => programs.every((program) => isProgram(join(folder, program)))) ?? null
}
