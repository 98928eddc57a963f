import type { CallerCtx } from "../context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../db/batch.ts";
import { notFound } from "../errors.ts";
import { purgeMailboxesStatement } from "../purges/index.ts";
import { getDomain } from "./queries.ts";

// A key that was restricted to this domain alone may send from none: an empty list, never null.
const FORGET_IN_KEYS = `
  UPDATE api_keys SET domain_ids = (SELECT json_group_array(value) FROM json_each(domain_ids) WHERE value <> ?1)
   WHERE workspace = ?2 AND EXISTS (SELECT 1 FROM json_each(domain_ids) WHERE value = ?1)`;

/**
 * Deletes a domain with its DKIM keys and mailboxes; their mail in R2 goes by outbox. Emails sent from it stay on
 * record; those still queued become `failed` when they are dispatched, scheduled ones at their time, since their
 * sender is gone (decisions 4). The name is free at once, and a new registration of it gets a new token. Throws 404.
 */
export async function deleteDomain(ctx: CallerCtx, id: string): Promise<void> {
  const { workspace } = await getDomain(ctx, id);
  const { db } = ctx;
  try {
    await guardedBatch(db, [
      db.prepare(FORGET_IN_KEYS).bind(id, workspace),
      purgeMailboxesStatement(ctx, { domainId: id }),
      db.prepare("DELETE FROM mailboxes WHERE domain_id = ?1").bind(id),
      db.prepare("DELETE FROM dkim_keys WHERE domain_id = ?1").bind(id),
      db.prepare("DELETE FROM domains WHERE id = ?1 AND workspace = ?2").bind(id, workspace),
      expectChanges(db, 1),
    ]);
  } catch (error) {
    if (error instanceof ConcurrencyError) throw notFound("Domain");
    throw error;
  }
}
