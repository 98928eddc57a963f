import type { CallerCtx } from "../../access/caller.ts";
import type { events } from "../../platform/db/schema/mail/index.ts";
import { personKey } from "../../sending/topics/index.ts";

/** An event of a person. Times in milliseconds since 1970. */
export type PersonEventRow = Pick<typeof events.$inferSelect, "id" | "name" | "data" | "occurredAt" | "createdAt">;

// By the index events_by_person. Without an event of this id there is nothing before it.
const PAGE = `
  SELECT id, name, data, occurred_at AS occurredAt, created_at AS createdAt FROM events
   WHERE workspace = ?1 AND email_key = ?2
     AND n < iif(?3 IS NULL, 9223372036854775807, (SELECT n FROM events WHERE workspace = ?1 AND id = ?3))
   ORDER BY n DESC LIMIT ?4`;

/**
 * Returns events of a person, newest first, before one by its id: at most `limit`, and one more when others follow. Throws 404 for what
 * is no address.
 */
export async function listPersonEvents(
  ctx: CallerCtx,
  email: string,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<PersonEventRow[]> {
  const { results } = await ctx.mail
    .prepare(PAGE)
    .bind(ctx.workspace.number, personKey(email), before ?? null, limit + 1)
    .all<PersonEventRow>();
  return results;
}
