import type { CallerCtx } from "../../../access/caller.ts";
import { notFound } from "../../../lib/errors.ts";
import { auditStatement } from "../../../platform/audit/record.ts";
import { onShard, shardNumbers } from "../../../platform/jobs/shards.ts";
import { reindexEmails } from "../../../sending/emails/index.ts";

/**
 * Makes the search index of a mail database anew: with `restart` it is emptied first, which is recorded. Indexes up to 10,000
 * emails and returns whether all are indexed, otherwise call it again without `restart`. Throws 404 for a database that does not exist.
 */
export async function reindexDatabase(ctx: CallerCtx, database: string, restart: boolean): Promise<boolean> {
  const number = shardNumbers(ctx).find((known) => String(known) === database);
  if (number === undefined) throw notFound("Database");
  // Recorded first: the mail databases are not part of the transaction.
  const entry = { action: "search_index.rebuilt", target: database } as const;
  if (restart) await auditStatement({ ...ctx, workspace: null }, entry).run();
  return reindexEmails(onShard(ctx, number), restart);
}
