import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { requireProofOfSession } from "../../access/sessions/reauthentication.ts";
import { forbidden, notFound } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import type { MainStatement } from "../../platform/context.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../platform/db/batch.ts";
import { closeStatement } from "../../platform/db/shard-workspaces.ts";
import { onMain, onShard } from "../../platform/jobs/shards.ts";
import { purgeMailboxesStatement, purgeStatement } from "../../platform/outbox/purge-statement.ts";
import { withdrawnOffersStatement } from "../../platform/outbox/withdrawn-offers-statement.ts";
import { requireActiveWorkspace } from "./queries.ts";

const MARK_DELETED = "UPDATE workspaces SET deleted_at = ?2, slug = id WHERE number = ?1 AND deleted_at IS NULL";

// The oldest other workspace of a session's user. The deleted one is marked by a statement before.
const OTHER_WORKSPACE = `
  (SELECT m.workspace FROM memberships m JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
    WHERE m.user_id = sessions.user_id ORDER BY m.created_at, m.workspace LIMIT 1)`;

// Deletes at once what grants access and what permits sending. The purge deletes the other tables.
const DELETE_STATEMENTS = [
  "DELETE FROM api_keys WHERE workspace = ?1",
  `UPDATE sessions SET workspace = ${OTHER_WORKSPACE} WHERE workspace = ?1 AND ${OTHER_WORKSPACE} IS NOT NULL`,
  "DELETE FROM refresh_tokens WHERE family IN (SELECT id FROM sessions WHERE workspace = ?1)",
  "DELETE FROM sessions WHERE workspace = ?1",
  "DELETE FROM invitations WHERE workspace = ?1",
  "DELETE FROM oauth_grants WHERE workspace = ?1",
  "DELETE FROM memberships WHERE workspace = ?1",
  `UPDATE domain_transfers SET status = CASE status WHEN 'pending' THEN 'cancelled' ELSE 'reversed' END
    WHERE source_workspace = ?1 AND status IN ('pending', 'accepted')`,
  "DELETE FROM domain_transfer_keys WHERE domain_id IN (SELECT id FROM domains WHERE workspace = ?1)",
  "DELETE FROM webhooks WHERE workspace = ?1",
  "DELETE FROM mailboxes WHERE workspace = ?1",
  "DELETE FROM dkim_keys WHERE domain_id IN (SELECT id FROM domains WHERE workspace = ?1)",
  // The cron job deletes the custom hostnames, then the rows (src/domains/hosts/advance.ts).
  "UPDATE custom_hosts SET status = 'removing', domain_id = NULL, active_at = NULL, next_check_at = 0 WHERE workspace = ?1",
  "DELETE FROM domains WHERE workspace = ?1",
];

/**
 * Deletes a workspace. Its API keys stop working and its domain names can be registered by others at once. Nothing more is
 * sent: an email that is dispatched before its row is purged becomes `failed`, because its domain no longer exists. The
 * outbox deletes emails, lists and stored content afterwards. Sessions that are active in it go on in another workspace of their
 * user, and end when there is none. Throws 403 unless the caller is an owner and as `requireProofOfSession`, 404, and 409 as `requireActiveWorkspace` does.
 */
export async function deleteWorkspace(ctx: CallerCtx, id: string): Promise<void> {
  await requireActiveWorkspace(ctx, id);
  if (ctx.actor.role !== "owner") throw forbidden("Only an owner may delete the workspace");
  requireAllDomains(ctx);
  requireProofOfSession(ctx);
  await guardedBatch(ctx.db, deletionStatements(ctx, ctx.workspace)).catch(onConcurrency(() => notFound("Workspace")));
  await closeForMail(ctx, ctx.workspace);
}

type DeletedWorkspace = Pick<CallerCtx["workspace"], "number" | "id" | "name">;

/**
 * Returns the statements that delete a workspace and order the purge of its data, for one batch. The batch fails with
 * ConcurrencyError (`guardedBatch`) when the workspace is deleted already. `closeForMail` follows it.
 */
export function deletionStatements(ctx: CallerCtx, { number, id, name }: DeletedWorkspace): MainStatement[] {
  const { db } = ctx;
  return [
    db.prepare(MARK_DELETED).bind(number, ctx.now()),
    expectChanges(db, 1),
    purgeMailboxesStatement(ctx, { workspace: number }),
    purgeStatement(onMain(ctx), [{ id, purge: { workspace: number, id } }]),
    withdrawnOffersStatement(ctx, { workspace: number }),
    ...DELETE_STATEMENTS.map((sql) => db.prepare(sql).bind(number)),
    auditStatement({ ...ctx, workspace: { number } }, { action: "workspace.deleted", target: id, detail: { name } }),
  ];
}

/** Refuses sends to a deleted workspace whose bodies are still being read. Never throws: the purge does it again. */
export async function closeForMail(
  ctx: CallerCtx,
  workspace: Pick<CallerCtx["workspace"], "number" | "id" | "mailShard">,
): Promise<void> {
  try {
    await closeStatement(onShard(ctx, workspace.mailShard), workspace).run();
  } catch (error) {
    ctx.log("workspace.close.failed", { error: String(error) });
  }
}
