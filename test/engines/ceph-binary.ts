// Where Ceph's programs are: on the path or in the usual folders; else installed from the system's packages where that may be.

import { join } from "node:path"
import { installed } from "./packages.ts"
import { foldersOnPath, isProgram } from "./programs.ts"

const programs = ["ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "ceph", "monmaptool"]
const folders = ["/usr/local/bin", "/usr/bin", "/usr/sbin"]
const wanted = {
  name: "Ceph's S3 server (radosgw)",
  packages: ["ceph-mon", "ceph-osd", "radosgw", "ceph-common"],
  others: "or name a running S3 server: SLUICE_TEST_S3_URL for the tests that share one, SLUICE_BENCH_S3_URL for a benchmark",
}

let found: string | null = null

/** The folder that has all of them. */
export function findCeph(): string {
  found ??= look() ?? installed(wanted, look)
  return found
}

function look(): string | null {
  return [...foldersOnPath(), ...folders].find((folder) => programs.every((program) => isProgram(join(folder, program)))) ?? null
}
