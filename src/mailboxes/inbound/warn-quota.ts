import { dailyKey, notifyOwners } from "../../notices/notifications/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { RecipientMailbox } from "./recipients.ts";

/** The part of its quota from which the owners are told that a mailbox is nearly full. */
const NEARLY_FULL = 0.9;

/**
 * Notifies the owners when a message made a mailbox nearly full, at most once a day for a mailbox that crosses the limit
 * again. Must run before the new size is saved, so that a repeated delivery repeats it.
 */
export async function warnQuota(ctx: Ctx, mailbox: RecipientMailbox, usedBytes: number): Promise<void> {
  const { id, workspace, quota_bytes: quota, used_bytes: before } = mailbox;
  if (quota === null || before > quota * NEARLY_FULL || usedBytes <= quota * NEARLY_FULL) return;
  const address = await ctx.db
    .prepare("SELECT address FROM mailboxes WHERE id = ?1")
    .bind(id)
    .first<{ address: string }>();
  await notifyOwners(ctx, workspace, {
    category: "alerts",
    severity: "warning",
    href: "/mailboxes",
    title: `The mailbox ${address?.address ?? id} is nearly full`,
    body: `It has ${usedBytes} of its ${quota} bytes. When it is full, mail to it is refused. Delete messages, or raise its quota.`,
    key: dailyKey(`quota ${id}`, ctx.now()),
  });
}
