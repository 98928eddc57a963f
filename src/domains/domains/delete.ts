import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/index.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { purgeMailboxesStatement } from "../../platform/outbox/index.ts";
import { getDomain } from "./queries.ts";

// A key that was restricted to this domain alone gets an empty list, which permits no domain. Null would permit all.
const REMOVE_FROM_API_KEYS = `
  UPDATE api_keys SET domain_ids = (SELECT json_group_array(value) FROM json_each(domain_ids) WHERE value <> ?1)
   WHERE workspace = ?2 AND EXISTS (SELECT 1 FROM json_each(domain_ids) WHERE value = ?1)`;

// A transfer that was accepted never moved the domain.
const END_TRANSFERS = [
  `UPDATE domain_transfers SET status = CASE status WHEN 'pending' THEN 'cancelled' ELSE 'reversed' END
    WHERE domain_id = ?1 AND status IN ('pending', 'accepted')`,
  "DELETE FROM domain_transfer_keys WHERE domain_id = ?1",
];

/**
 * Deletes a domain with its DKIM keys and mailboxes; the outbox deletes the mailboxes' messages from R2 afterwards. Emails sent
 * from the domain remain. Queued emails become `failed` at dispatch and scheduled emails at their time, because their sender no
 * longer exists (docs/contract/domains.md#registration). Its pending transfer becomes `cancelled`, an accepted one `reversed`.
 * The name can be registered again at once, with a new token. Throws 404.
 */
export async function deleteDomain(ctx: CallerCtx, id: string): Promise<void> {
  const { id: domainId, workspace, name } = await getDomain(ctx, id);
  const { db } = ctx;
  try {
    await guardedBatch(db, [
      db.prepare(REMOVE_FROM_API_KEYS).bind(domainId, workspace),
      ...END_TRANSFERS.map((sql) => db.prepare(sql).bind(domainId)),
      purgeMailboxesStatement(ctx, { domainId }),
      db.prepare("DELETE FROM mailboxes WHERE domain_id = ?1").bind(domainId),
      db.prepare("DELETE FROM dkim_keys WHERE domain_id = ?1").bind(domainId),
      db.prepare("DELETE FROM domains WHERE id = ?1 AND workspace = ?2").bind(domainId, workspace),
      expectChanges(db, 1),
      auditStatement(ctx, { action: "domain.deleted", target: domainId, detail: { name } }),
    ]);
  } catch (error) {
    if (error instanceof ConcurrencyError) throw notFound("Domain");
    throw error;
  }
}
