import { ImapError } from "../../mail/imap/cursor.ts";
import type { Ctx } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import type { ImapMailbox } from "./access.ts";

/** Returns bytes of a message. Throws ImapError for an object that is not of this mailbox, or was deleted an hour after its expunge. */
export async function openContent(
  ctx: Ctx,
  { mailboxId }: ImapMailbox,
  { object, from, length }: { object: string; from: number; length: number },
): Promise<ReadableStream> {
  const isOwn = object.startsWith(r2Keys.mailbox(mailboxId));
  const found = isOwn ? await ctx.env.CONTENT.get(object, { range: { offset: from, length } }) : null;
  if (!found) throw new ImapError("The message was expunged", "EXPUNGEISSUED");
  return found.body;
}
