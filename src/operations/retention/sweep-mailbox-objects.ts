import { forEachAtOnce } from "../../lib/at-once.ts";
import { mailboxStore } from "../../mailboxes/mailbox-store/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";

const FIND_MAILBOXES = "SELECT id FROM mailboxes WHERE id IN (SELECT value FROM json_each(?1))";

/** Mailboxes that are asked at once. */
const AT_ONCE = 6;

/**
 * Deletes those of these R2 objects that belong to a mailbox which does not exist, and has each other mailbox delete those that it
 * does not know. The keys of other objects are ignored. A mailbox that fails keeps its objects until the next time.
 */
export async function sweepMailboxObjects(ctx: Ctx, keys: readonly string[]): Promise<void> {
  const ofMailboxes = keys.filter((key) => key.startsWith(r2Keys.mailboxes));
  if (ofMailboxes.length === 0) return;
  const byMailbox = Map.groupBy(ofMailboxes, (key) => key.split("/")[1] ?? "");
  const ids = JSON.stringify([...byMailbox.keys()]);
  const results = await ctx.db.listRows<{ id: string }>(FIND_MAILBOXES, ids);
  const existing = new Set(results.map(({ id }) => id));
  const orphans = [...byMailbox].flatMap(([id, objects]) => (existing.has(id) ? [] : objects));
  if (orphans.length > 0) {
    ctx.log("retention.objects_without_mailbox", { objects: orphans.length });
    await ctx.env.CONTENT.delete(orphans);
  }
  // The port logs a failure.
  await forEachAtOnce(AT_ONCE, existing, (id) => removeUnknown(ctx, id, byMailbox.get(id) ?? []).catch(() => {}));
}

async function removeUnknown(ctx: Ctx, mailbox: string, objects: readonly string[]): Promise<void> {
  const removed = await mailboxStore(ctx, mailbox).removeUnknownObjects(objects);
  if (removed > 0) ctx.log("retention.objects_without_message", { mailbox, objects: removed });
}
