// How a Ceph of one monitor, one store of objects in memory and one S3 gateway is configured: everything in one folder, on loopback, without
// keys between its parts, and quick to start.

export interface CephPorts {
  readonly monitor: number
  readonly gateway: number
}

export function cephConfig(folder: string, fsid: string, ports: CephPorts): string {
  const settings: Readonly<Record<string, string | number | boolean>> = {
    fsid,
    "mon host": `[v2:127.0.0.1:${ports.monitor}]`,
    "auth cluster required": "none",
    "auth service required": "none",
    "auth client required": "none",
    "auth allow insecure global id reclaim": true,
    // Without it a gateway without keys asks for ever.
    "ms mon client mode": "crc",
    // Start-up takes eleven seconds with what is usual, and one with these.
    "paxos propose interval": 0.02,
    "paxos min wait": 0.01,
    "osd objectstore": "memstore",
    "memstore device bytes": 4 * 2 ** 30,
    "osd pool default size": 1,
    "osd pool default min size": 1,
    "mon allow pool size one": true,
    "osd pool default pg num": 1,
    "osd pool default pg autoscale mode": "off",
    "osd crush chooseleaf type": 0,
    "mon max pg per osd": 1_000,
    "mon data avail warn": 1,
    "mon data avail crit": 0,
    "run dir": folder,
    "admin socket": `${folder}/$name.asok`,
    "pid file": "",
    "log file": `${folder}/$name.log`,
    keyring: `${folder}/keyring`,
    "mon data": `${folder}/mon`,
    "osd data": `${folder}/osd`,
    "rgw data": `${folder}/rgw`,
    // Without it every answer waits for 40 ms.
    "rgw frontends": `beast endpoint=127.0.0.1:${ports.gateway} tcp_nodelay=1`,
    "rgw override bucket index max shards": 1,
    "rgw enable gc threads": false,
    "rgw enable lc threads": false,
    "rgw enable quota threads": false,
    "rgw run sync thread": false,
  }
  return ["[global]", ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`), ""].join("\n")
}
