import type { CallerCtx } from "../../../access/caller.ts";
import type { AutoReplyRow } from "../../auto-replies/index.ts";
import { type OpenMailbox, openMailboxWith, type ReadableMailbox } from "../open.ts";
import type { AutoReplyIn } from "./schema.ts";

const FIND = "SELECT is_active, starts_at, ends_at, subject, text FROM auto_replies WHERE mailbox_id = ?1";

const REPLACE = `
  INSERT INTO auto_replies (mailbox_id, is_active, starts_at, ends_at, subject, text, updated_at)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
  ON CONFLICT DO UPDATE SET is_active = ?2, starts_at = ?3, ends_at = ?4, subject = ?5, text = ?6, updated_at = ?7`;

/** Returns the automatic reply of a mailbox; null when it was never set. */
export function findAutoReply(ctx: CallerCtx, { id }: ReadableMailbox): Promise<AutoReplyRow | null> {
  return ctx.db.findRow<AutoReplyRow>(FIND, id);
}

/** Opens a mailbox with its automatic reply, in one call to the database; null when it was never set. Throws 403 and 404. */
export async function openAutoReply(
  ctx: CallerCtx,
  mailboxId: string,
): Promise<{ mailbox: OpenMailbox; autoReply: AutoReplyRow | null }> {
  const find = (id: string) => [ctx.db.prepare(FIND).bind(id)];
  const { mailbox, rows } = await openMailboxWith<AutoReplyRow>(ctx, mailboxId, find);
  return { mailbox, autoReply: rows[0] ?? null };
}

/** Replaces the automatic reply of a mailbox (RFC 3834) and returns it. */
export async function replaceAutoReply(ctx: CallerCtx, { id }: OpenMailbox, input: AutoReplyIn): Promise<AutoReplyRow> {
  const row: AutoReplyRow = {
    is_active: input.is_active ? 1 : 0,
    starts_at: input.starts_at ?? null,
    ends_at: input.ends_at ?? null,
    subject: input.subject || null,
    text: input.text,
  };
  const { is_active, starts_at, ends_at, subject, text } = row;
  await ctx.db.execute(REPLACE, id, is_active, starts_at, ends_at, subject, text, ctx.now());
  return row;
}
