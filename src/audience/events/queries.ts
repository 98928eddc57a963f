import type { CallerCtx } from "../../access/caller.ts";
import type { events } from "../../platform/db/schema/mail/index.ts";
import { personKey } from "../../sending/topics/index.ts";

/** An event of a person. Times in milliseconds since 1970. */
export type PersonEventRow = Pick<typeof events.$inferSelect, "id" | "name" | "data" | "occurredAt" | "createdAt">;

// By the index events_by_person. Without an event of this id there is nothing before it. `?5`: the domains of whose emails the caller reads events, or null.
const PAGE = `
  SELECT id, name, data, occurred_at AS occurredAt, created_at AS createdAt FROM events
   WHERE workspace = ?1 AND email_key = ?2
     AND n < iif(?3 IS NULL, 9223372036854775807, (SELECT n FROM events WHERE workspace = ?1 AND id = ?3))
     AND (?5 IS NULL OR substr(name, 1, 6) <> 'email.' OR EXISTS (
       SELECT 1 FROM emails e WHERE e.workspace = ?1 AND e.id = events.data->>'email_id' AND e.domain_id IN (SELECT value FROM json_each(?5))))
   ORDER BY n DESC LIMIT ?4`;

/**
 * Returns events of a person, newest first, before one by its id: at most `limit`, and one more when others follow. A key that is restricted
 * to domains gets no events of emails of other domains. Throws 404 for what is no address.
 */
export async function listPersonEvents(
  ctx: CallerCtx,
  email: string,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<PersonEventRow[]> {
  const { domainIds } = ctx.actor;
  return ctx.mail.listRows<PersonEventRow>(
    PAGE,
    ctx.workspace.number,
    personKey(email),
    before ?? null,
    limit + 1,
    domainIds && JSON.stringify([...domainIds]),
  );
}
