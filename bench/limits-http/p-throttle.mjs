// p-throttle at the same work, in one process and without a store: a throttle for each guild.
import pThrottle from "p-throttle"
import { runLibrary } from "./library.mjs"

await runLibrary(({ limit, windowMs, strict }) => {
  const guilds = new Map()
  return (guild, run) => {
    if (!guilds.has(guild))
      guilds.set(
        guild,
        pThrottle({ limit, interval: windowMs, strict })((task) => task()),
      )
    return guilds.get(guild)(run)
  }
})
