import { notifyOwners } from "../../../notices/notifications/index.ts";
import type { MailCtx, WakeUp } from "../../../platform/context.ts";
import { quarantineRow } from "../../../platform/outbox/quarantine.ts";

const IS_SHARED = "o.id = ?1 AND o.leased_until <= ?2 AND json_valid(o.ref) AND json_array_length(o.ref) > 1";
const EMAILS = `outbox o CROSS JOIN json_each(o.ref) r CROSS JOIN emails e ON e.n = r.value WHERE ${IS_SHARED}`;

const SPLIT = `
  INSERT OR IGNORE INTO outbox (id, due_at, kind, ref, claims, outage, broadcast, workspace)
  SELECT e.id, o.due_at, o.kind, json_array(e.n), o.claims, o.outage, o.broadcast, o.workspace FROM ${EMAILS}
     AND coalesce(e.outbox_id, e.id) = o.id
  RETURNING due_at AS dueAt, id, kind`;
const LEAVE = `UPDATE emails SET outbox_id = NULL WHERE outbox_id = ?1 AND n IN (SELECT e.n FROM ${EMAILS})`;
const DELETE = `DELETE FROM outbox AS o WHERE ${IS_SHARED}`;

/**
 * Sets the outbox row of an email aside that could not be claimed alone, and tells the owners of its workspace. One that emails share is
 * split first, so that the one by which it fails is found among them.
 */
export async function setAside(ctx: MailCtx, { id }: WakeUp, error: unknown): Promise<void> {
  const values = [id, ctx.now()];
  const [split] = await ctx.mail.batch<WakeUp>([
    ctx.mail.prepare(SPLIT).bind(...values),
    ctx.mail.prepare(LEAVE).bind(...values),
    ctx.mail.prepare(DELETE).bind(...values),
  ]);
  const rows = split?.results ?? [];
  if (rows.length > 0) return void (await ctx.wake(rows));
  const workspace = await quarantineRow(ctx, { id, token: null }, error);
  if (workspace)
    await notifyOwners(ctx, workspace, {
      category: "alerts",
      severity: "error",
      title: "An email cannot be sent",
      body: "The service cannot read it, and has set it aside. Its operator was told, and can try it again.",
      href: `/emails/${id}`,
      key: `quarantine ${id}`,
    });
}
