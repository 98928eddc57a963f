import { reversedRange } from "../../domains/domains/index.ts";
import { notifyOwnersStatements } from "../../notices/notifications/index.ts";
import { type AuditActor, auditStatement } from "../../platform/audit/record.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { TransferRow } from "./queries.ts";
import { IS_MOVED } from "./requirements.ts";

/** A completed transfer, and who completed it: null for the service, at the end of the safety window. */
export interface Completion {
  transfer: TransferRow & { targetWorkspace: number };
  by: { actor: AuditActor | null; clientIp: string | null };
}

/** The domain and its sub-domains in the source workspace. `?1`: source, `?2` and `?3`: range of reversed names, `?4`: target. */
const MOVED = `SELECT id FROM domains WHERE ${IS_MOVED}`;
/** Domains of the target workspace with the same names, which another verified domain has kept from being verified. */
const MERGED = `
  SELECT p.id FROM domains p JOIN domains d ON d.workspace = ?1 AND d.name = p.name
   WHERE p.workspace = ?4 AND p.reversed_name >= ?2 AND p.reversed_name < ?3`;
const MAILBOXES = `SELECT id FROM mailboxes WHERE domain_id IN (${MOVED})`;
/** The moved domain with the name of the merged domain `?`. */
const sameName = (merged: string) =>
  `(SELECT d.id FROM domains p JOIN domains d ON d.workspace = ?1 AND d.name = p.name WHERE p.id = ${merged})`;

/** The addresses that come with the domains. */
const ADDRESSES = `
  SELECT address FROM mailboxes WHERE domain_id IN (${MOVED})
  UNION ALL SELECT address FROM mailbox_aliases WHERE domain_id IN (${MOVED})`;

// An alias moves with its domain and its mailbox. It ends when only one of them moves, since they must be of one workspace.
const END_ALIASES = `
  DELETE FROM mailbox_aliases WHERE workspace = ?1 AND (domain_id IN (${MOVED})) <> (mailbox_id IN (${MAILBOXES}))`;

const MERGE = [
  // A mailbox of an unverified domain has never received mail.
  `DELETE FROM mailboxes WHERE workspace = ?4 AND address IN (${ADDRESSES})`,
  `DELETE FROM mailbox_aliases WHERE workspace = ?4 AND address IN (${ADDRESSES})`,
  `UPDATE mailbox_aliases SET domain_id = ${sameName("mailbox_aliases.domain_id")} WHERE workspace = ?4 AND domain_id IN (${MERGED})`,
  `UPDATE mailboxes SET domain_id = ${sameName("mailboxes.domain_id")} WHERE workspace = ?4 AND domain_id IN (${MERGED})`,
  `UPDATE forwarding_rules SET domain_id = ${sameName("forwarding_rules.domain_id")} WHERE workspace = ?4 AND domain_id IN (${MERGED})`,
  `UPDATE api_keys SET domain_ids = (SELECT json_group_array(coalesce(${sameName("j.value")}, j.value)) FROM json_each(domain_ids) j)
    WHERE workspace = ?4 AND EXISTS (SELECT 1 FROM json_each(domain_ids) WHERE value IN (${MERGED}))`,
  `DELETE FROM dkim_keys WHERE domain_id IN (${MERGED})`,
  `DELETE FROM domains WHERE id IN (${MERGED})`,
];

const END_ACCESS = [
  // A key that was restricted to these domains alone gets an empty list, which permits no domain. Null would permit all.
  `UPDATE api_keys SET domain_ids = (SELECT json_group_array(value) FROM json_each(domain_ids) WHERE value NOT IN (${MOVED}))
    WHERE workspace = ?1 AND EXISTS (SELECT 1 FROM json_each(domain_ids) WHERE value IN (${MOVED}))`,
  `DELETE FROM refresh_tokens WHERE kind = 'mailbox'
     AND family IN (SELECT id FROM mailbox_sessions WHERE mailbox_id IN (${MAILBOXES}))`,
  `DELETE FROM mailbox_sessions WHERE mailbox_id IN (${MAILBOXES})`,
  `DELETE FROM mailbox_passwords WHERE mailbox_id IN (${MAILBOXES})`,
  `DELETE FROM app_passwords WHERE mailbox_id IN (${MAILBOXES})`,
  `DELETE FROM auto_replies WHERE mailbox_id IN (${MAILBOXES})`,
  `UPDATE forwarding_rules SET is_active = 0 WHERE workspace = ?1 AND domain_id IN (${MOVED})`,
  `DELETE FROM mailbox_assignees WHERE mailbox_id IN (${MAILBOXES})`,
];

// Before the move, because the rows are found by the source workspace.
const ADD_CLEAN_UP = `
  INSERT INTO outbox (due_at, id, kind, ref)
  SELECT ?4, ?5, 'transfer', json_object('cleanUp', json_object('workspace', ?1, 'domains', json_group_array(id),
    'names', json_group_array(name), 'completedAt', ?4))
    FROM domains WHERE ${IS_MOVED}`;

const DEACTIVATE_SMTP = `
  UPDATE smtp_credentials SET deactivated_at = ?4, hash = NULL WHERE deactivated_at IS NULL AND domain_id IN (${MOVED})`;

// Transfers of sub-domains, when the domain above them is forced to move.
const CLOSE_OTHERS = `
  UPDATE domain_transfers SET status = CASE status WHEN 'pending' THEN 'cancelled' ELSE 'reversed' END
   WHERE source_workspace = ?1 AND reversed_name >= ?2 AND reversed_name < ?3 AND status IN ('pending', 'accepted')`;

const DELETE_OTHER_KEYS = `DELETE FROM domain_transfer_keys WHERE domain_id IN (${MOVED}) AND transfer_id <> ?4`;

// An egress of its own was given to the domain of the source workspace.
const MOVE = [
  // Links of emails that the source workspace has sent work under the host as before (src/domains/hosts/owners.ts).
  `UPDATE custom_hosts SET workspace = ?4, past_owners = json_insert(
     iif(json_array_length(past_owners) < 10, past_owners, json_remove(past_owners, '$[0]')), '$[#]', json_array(?1, ?5))
    WHERE domain_id IN (${MOVED})`,
  `UPDATE mailbox_aliases SET workspace = ?4 WHERE domain_id IN (${MOVED})`,
  `UPDATE mailboxes SET workspace = ?4 WHERE domain_id IN (${MOVED})`,
  `UPDATE domains SET workspace = ?4, egress = NULL WHERE ${IS_MOVED}`,
];

// As in a rotation: the active keys sign until a DNS check finds the records of the new ones.
const ROTATE = [
  `DELETE FROM dkim_keys WHERE domain_id IN (SELECT domain_id FROM domain_transfer_keys WHERE transfer_id = ?1)
     AND activated_at IS NULL AND retired_at IS NULL AND slot IS NULL`,
  // The keys of a delegated domain rotate by themselves, and the former owner has never had them.
  `INSERT INTO dkim_keys (id, domain_id, selector, algorithm, public_key, private_key, created_at)
   SELECT id, domain_id, selector, algorithm, public_key, private_key, created_at FROM domain_transfer_keys WHERE transfer_id = ?1
      AND domain_id IN (SELECT id FROM domains WHERE setup = 'manual')`,
  "DELETE FROM domain_transfer_keys WHERE transfer_id = ?1",
];

/**
 * Returns the statements that move the domain of a transfer and its sub-domains to the target workspace
 * (docs/contract/transfers.md#completion), for the guarded batch that completes the transfer, after its guards. `cleanUpId`
 * becomes the id of the outbox row that cancels what the source workspace has scheduled.
 */
export function moveStatements(ctx: Ctx, { transfer, by }: Completion, cleanUpId: string): MainStatement[] {
  const { db } = ctx;
  const range = [transfer.sourceWorkspace, ...reversedRange(transfer.reversedName)];
  const target = [...range, transfer.targetWorkspace];
  return [
    db.prepare(END_ALIASES).bind(...range),
    ...MERGE.map((sql) => db.prepare(sql).bind(...target)),
    ...END_ACCESS.map((sql) => db.prepare(sql).bind(...range)),
    db.prepare(ADD_CLEAN_UP).bind(...range, ctx.now(), cleanUpId),
    db.prepare(DEACTIVATE_SMTP).bind(...range, ctx.now()),
    db.prepare(CLOSE_OTHERS).bind(...range),
    db.prepare(DELETE_OTHER_KEYS).bind(...range, transfer.id),
    ...MOVE.map((sql, n) => db.prepare(sql).bind(...target, ...(n === 0 ? [ctx.now()] : []))),
    ...ROTATE.map((sql) => db.prepare(sql).bind(transfer.id)),
    ...recordStatements(ctx, { transfer, by }),
  ];
}

/** Returns the audit entries and notifications of both sides. */
function recordStatements(ctx: Ctx, { transfer, by }: Completion): MainStatement[] {
  const { domainId, domainName, sourceWorkspace, targetWorkspace, sourceOrgId, targetOrgId } = transfer;
  const detail = { name: domainName, transfer_id: transfer.id, from: sourceOrgId, to: targetOrgId };
  const entry = { action: "domain.transferred", target: domainId, detail } as const;
  const notice = { category: "alerts", severity: "info", href: null, title: `${domainName} has moved` } as const;
  const lost = `The domain belongs to ${transfer.targetEmail} now. Emails and broadcasts that were scheduled are cancelled.`;
  const got = `The domain has come from ${transfer.sourceLabel}. Its SMTP credentials and mailbox passwords have ended.`;
  const sides = [
    { number: sourceWorkspace, body: lost },
    { number: targetWorkspace, body: got },
  ];
  return sides.flatMap(({ number, body }) => [
    auditStatement({ ...ctx, ...by, workspace: { number } }, entry),
    ...notifyOwnersStatements(ctx, number, { ...notice, body }),
  ]);
}
