// The machine that figures were measured on, in words that say nothing about whose it is.
import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { join } from "node:path"
import { median } from "./figures.mjs"

export function describeMachine(folder) {
  const [cpu] = cpus()
  return {
    cpu: `${cpu?.model.trim() ?? "unknown CPU"}, ${cpus().length} cores`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    disk: describeDisk(folder),
    flushMs: measureFlush(folder),
    node: `Node.js ${process.versions.node} on ${process.platform} ${process.arch}`,
  }
}

/** File system and kind of device, where the system tells. */
function describeDisk(folder) {
  try {
    const mounts = readFileSync("/proc/mounts", "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(" "))
      .filter(([, at]) => folder === at || folder.startsWith(at.endsWith("/") ? at : `${at}/`))
      .sort(([, a], [, b]) => b.length - a.length)
    const [device, , kind] = mounts[0]
    return `${kind} on ${describeDevice(device.split("/").at(-1))}`
  } catch {
    return "unknown disk"
  }
}

function describeDevice(name) {
  if (name.startsWith("vd") || name.startsWith("xvd")) return "a virtual disk"
  if (name.startsWith("nvme")) return "an NVMe disk"
  try {
    const parent = name.replace(/\d+$/, "")
    return readFileSync(`/sys/block/${parent}/queue/rotational`, "utf8").trim() === "1" ? "a rotating disk" : "a solid-state disk"
  } catch {
    return "no disk of its own"
  }
}

/** How long one small write takes to reach the disk: what full durability pays for every transaction. */
function measureFlush(folder) {
  const path = join(folder, "flush")
  const file = openSync(path, "w")
  const page = Buffer.alloc(4_096)
  const times = Array.from({ length: 200 }, () => {
    const startedAtMs = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return performance.now() - startedAtMs
  })
  closeSync(file)
  rmSync(path)
  return median(times)
}
