import { type CallerCtx, requireScopes } from "../../access/caller.ts";
import { type AppError, type Blocker, conflict, notFound } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { RefusedBatchError, refuse } from "../../platform/db/refuse.ts";
import { purgeMailboxesStatement } from "../../platform/outbox/purge-statement.ts";
import { withdrawnOffersStatement } from "../../platform/outbox/withdrawn-offers-statement.ts";
import { removeHostsStatement } from "../hosts/index.ts";
import { getDomain } from "./queries.ts";
import { MAX_BLOCKERS } from "./rules.ts";

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

const FIND_MAILBOXES = "SELECT id, address FROM mailboxes WHERE domain_id = ?1 ORDER BY address LIMIT ?2";
const REFUSE_MAILBOXES = `
  SELECT ${refuse("mailboxes", "count(*)")} FROM mailboxes WHERE domain_id = ?1 HAVING count(*) > 0`;

/**
 * Deletes a domain with its DKIM keys and, with `deleteMailboxes`, its mailboxes; the outbox deletes the mailboxes' messages from R2
 * afterwards. Emails sent from the domain remain. Queued emails become `failed` at dispatch and scheduled emails at their time, because
 * their sender no longer exists (docs/contract/domains.md#registration). Its pending transfer becomes `cancelled`, an accepted one
 * `reversed`, and an email tells the recipient. The name can be registered again at once, with a new token. Throws 404, without
 * `deleteMailboxes` 409 while it has any, and with it 403 for a credential that manages no mailboxes.
 */
export async function deleteDomain(
  ctx: CallerCtx,
  id: string,
  { deleteMailboxes }: { deleteMailboxes: boolean },
): Promise<void> {
  const { id: domainId, workspace, name } = await getDomain(ctx, id);
  const { db, actor } = ctx;
  if (deleteMailboxes) requireScopes(actor, "mailboxes:manage");
  try {
    await guardedBatch(db, [
      ...(deleteMailboxes ? [] : [db.prepare(REFUSE_MAILBOXES).bind(domainId)]),
      db.prepare(REMOVE_FROM_API_KEYS).bind(domainId, workspace),
      withdrawnOffersStatement(ctx, { domainId }),
      ...END_TRANSFERS.map((sql) => db.prepare(sql).bind(domainId)),
      purgeMailboxesStatement(ctx, { domainId }),
      db.prepare("DELETE FROM mailboxes WHERE domain_id = ?1").bind(domainId),
      removeHostsStatement(ctx, domainId),
      db.prepare("DELETE FROM dkim_keys WHERE domain_id = ?1").bind(domainId),
      db.prepare("DELETE FROM domains WHERE id = ?1 AND workspace = ?2").bind(domainId, workspace),
      expectChanges(db, 1),
      auditStatement(ctx, { action: "domain.deleted", target: domainId, detail: { name } }),
    ]);
  } catch (error) {
    if (error instanceof ConcurrencyError) throw notFound("Domain");
    if (error instanceof RefusedBatchError) throw await hasMailboxes(ctx, domainId, error.value);
    throw error;
  }
}

/** Returns the 409 of a domain with mailboxes, which names the first of them. */
async function hasMailboxes(ctx: CallerCtx, domainId: string, count: number): Promise<AppError> {
  const results = await ctx.db.listRows<{ id: string; address: string }>(FIND_MAILBOXES, domainId, MAX_BLOCKERS);
  const blockers = results.map((row): Blocker => ({ kind: "mailbox", id: row.id, label: row.address }));
  const mailboxes = count === 1 ? "a mailbox" : `${count} mailboxes`;
  const detail = `This domain has ${mailboxes}; call again with ?delete_mailboxes=true to delete all mail in them too`;
  return conflict(detail, { blockers });
}
