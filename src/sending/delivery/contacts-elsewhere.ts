import type { MailCtx } from "../../platform/context.ts";
import { mailDb } from "../../platform/db/client.ts";
import { findShards, onShard } from "../../platform/jobs/shards.ts";

/** An email whose contact is in another mail database: one of an automation of a workspace that was moved to a further database. */
export interface ContactElsewhere {
  /** Number of the email. */
  n: number;
  workspace: number;
  /** Canonical address of its recipient. */
  key: string;
}

const FIND_LEFT = `
  SELECT j.value->>'n' AS n FROM json_each(?1) j
   WHERE EXISTS (SELECT 1 FROM contacts c JOIN contact_lists l ON l.n = c.list
                  WHERE c.workspace = j.value->>'workspace' AND c.email_key = j.value->>'key')`;

/**
 * Returns the emails whose person has no contact left in the first mail database of the workspace. One D1 call to the main database and
 * one to each first database; none without such emails.
 */
export async function findWithoutContact(
  ctx: MailCtx,
  emails: readonly ContactElsewhere[],
): Promise<ReadonlySet<number>> {
  if (emails.length === 0) return new Set();
  const shards = await findShards(ctx, new Set(emails.map(({ workspace }) => workspace)));
  const ofFirst = Map.groupBy(emails, ({ workspace }) => shards.get(workspace)?.at(-1));
  const left = await Promise.all(
    [...ofFirst].map(async ([shard, own]) => {
      // The purge of a workspace cancels its emails.
      if (shard === undefined) return own.map(({ n }) => n);
      const { results } = await mailDb(onShard(ctx, shard))
        .prepare(FIND_LEFT)
        .bind(JSON.stringify(own))
        .all<{ n: number }>();
      return results.map(({ n }) => n);
    }),
  );
  const kept = new Set(left.flat());
  return new Set(emails.map(({ n }) => n).filter((n) => !kept.has(n)));
}
