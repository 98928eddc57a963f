import { and, eq } from "drizzle-orm";
import type { CallerCtx } from "../context.ts";
import { orm } from "../db/client.ts";
import { mailboxes } from "../db/schema/main/index.ts";
import { notFound } from "../errors.ts";
import { parseUuid } from "../lib/ids.ts";
import { getMailbox, mailboxColumns, visibleToCaller } from "./queries.ts";
import { type MailboxOut, type MailboxPatch, toMailbox } from "./schema.ts";

/**
 * Changes the given fields of a mailbox; null is a value. An inactive mailbox cannot send: its queued emails become
 * `failed` at dispatch. Throws 404.
 */
export async function updateMailbox(ctx: CallerCtx, id: string, patch: MailboxPatch): Promise<MailboxOut> {
  const changes = {
    ...(patch.display_name === undefined ? {} : { displayName: patch.display_name }),
    ...(patch.is_active === undefined ? {} : { isActive: patch.is_active }),
    ...(patch.quota_bytes === undefined ? {} : { quotaBytes: patch.quota_bytes }),
  };
  if (Object.keys(changes).length === 0) return toMailbox(await getMailbox(ctx, id));
  const uuid = parseUuid(id);
  if (uuid === null) throw notFound("Mailbox");
  const [changed] = await orm(ctx)
    .update(mailboxes)
    .set(changes)
    .where(and(visibleToCaller(ctx), eq(mailboxes.id, uuid)))
    .returning(mailboxColumns);
  if (!changed) throw notFound("Mailbox");
  return toMailbox(changed);
}
