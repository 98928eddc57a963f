import type { CallerCtx } from "../context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../db/batch.ts";
import { forbidden, notFound } from "../errors.ts";
import { purgeMailboxesStatement, purgeStatement } from "../purges/index.ts";

const MARK = "UPDATE workspaces SET deleted_at = ?2, slug = id WHERE number = ?1 AND deleted_at IS NULL";

// Whatever hangs on the workspace by a key and must not outlive this moment: who may come in, and what may send.
const ENDS = [
  "DELETE FROM api_keys WHERE workspace = ?1",
  "DELETE FROM memberships WHERE workspace = ?1",
  "DELETE FROM mailboxes WHERE workspace = ?1",
  "DELETE FROM dkim_keys WHERE domain_id IN (SELECT id FROM domains WHERE workspace = ?1)",
  "DELETE FROM domains WHERE workspace = ?1",
];

/**
 * Deletes a workspace. From this moment no credential of it works, its names are free and nothing of it is sent:
 * mail that a run takes up before its row is gone becomes `failed`, since its domain is gone. Emails, lists and
 * stored content follow by outbox. Owners only. Throws 403, 404.
 */
export async function deleteWorkspace(ctx: CallerCtx, id: string): Promise<void> {
  if (id !== ctx.workspace.id) throw notFound("Workspace");
  if (ctx.actor.role !== "owner") throw forbidden("Only an owner may delete the workspace");
  if (ctx.actor.domainIds) throw forbidden("This API key is restricted to certain domains");
  const { number } = ctx.workspace;
  const { db } = ctx;
  try {
    await guardedBatch(db, [
      db.prepare(MARK).bind(number, ctx.now()),
      expectChanges(db, 1),
      purgeMailboxesStatement(ctx, { workspace: number }),
      purgeStatement(ctx, [{ id, purge: { workspace: number, id } }]),
      ...ENDS.map((sql) => db.prepare(sql).bind(number)),
    ]);
  } catch (error) {
    if (error instanceof ConcurrencyError) throw notFound("Workspace");
    throw error;
  }
}
