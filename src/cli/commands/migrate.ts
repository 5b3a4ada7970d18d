// sluice migrate: brings the tables of a store up to date, or shows what that would run. Workers and queues do the same when they connect;
// this is for those who want to see it first, or whose workers may not change tables.

import type { Command } from "commander"
import { resolveMigrations } from "../../queue/index.ts"
import { define } from "../define.ts"
import type { Given } from "../flags.ts"
import type { Session } from "../session.ts"

export function addMigrate(program: Command, session: Session): void {
  define(program, {
    usage: "migrate",
    summary: "Bring the store's tables up to date",
    details: "For Postgres; the other stores have nothing to do. Whoever connects does the same by itself.",
    examples: [
      "sluice migrate --store postgres://localhost/shop",
      "sluice migrate --store postgres://localhost/shop --dry-run > migrate.sql",
    ],
  })
    .option("--dry-run", "Print the SQL that it would run, and change nothing")
    .action(async (given: Given) => {
      const open = await resolveMigrations(session.storeUrl)
      if (!open) return tellNothing(session, "this store brings itself up to date", given)
      const migrations = await open(session.storeUrl)
      try {
        if (given.dryRun === true) {
          const pending = await migrations.pending()
          if (session.isJson) session.printJson({ pending: pending.map(({ name, sql }) => ({ name, sql })) })
          else if (pending.length === 0) tellNothing(session, `${migrations.place} is up to date`, given)
          else
            session.print(
              pending
                .map(({ sql }) => sql)
                .join("\n")
                .trimEnd(),
            )
        } else {
          const applied = await migrations.apply()
          if (session.isJson) session.printJson({ applied: applied.map(({ name }) => name) })
          else if (applied.length === 0) tellNothing(session, `${migrations.place} is up to date`, given)
          else session.print(...applied.map(({ name }) => `applied ${name}`))
        }
      } finally {
        await migrations.close()
      }
    })
}

/** What `--dry-run` prints is SQL and nothing else, for a file or for psql. */
function tellNothing(session: Session, why: string, given: Given): void {
  const text = `nothing to do: ${why}`
  if (session.isJson) session.printJson(given.dryRun === true ? { pending: [] } : { applied: [] })
  else if (given.dryRun === true) session.note(text)
  else session.print(text)
}
