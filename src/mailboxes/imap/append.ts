import * as z from "zod";
import type { Ctx } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { mailboxStore, putMessage, saveUsedBytes, toNewMessage } from "../mailbox-store/index.ts";
import type { ImapMailbox } from "./access.ts";
import { toChanges } from "./call.ts";
import { noSuchFolder, overQuota } from "./errors.ts";
import { FlagsIn, Folder, Place } from "./schema.ts";

/** A message that a mail program stores. */
export const AppendIn = z.object({
  folder: Folder,
  flags: FlagsIn,
  /** In ms since 1970; null: now. */
  date: z.int().nullable(),
  /** Bytes of the message. Fewer are an error: the client was cut off. */
  size: Place,
});

/** Signals a message that was cut off. */
class CutOffError extends Error {
  override name = "CutOffError";
}

/**
 * Stores a message of a mail program (RFC 3501 6.3.11): first as an object in R2, then as a message. A copy of a message that this mailbox
 * submitted is not stored again in Sent: its UID is returned. Throws ImapError for an unknown folder and a full mailbox.
 */
export async function appendMessage(
  ctx: Ctx,
  { mailboxId, quotaBytes }: ImapMailbox,
  { folder, flags, date, chunks, size }: z.output<typeof AppendIn> & { chunks: AsyncIterable<Uint8Array> },
): Promise<{ uid: number; uidvalidity: number }> {
  const store = mailboxStore(ctx, mailboxId);
  const object = r2Keys.mailboxMessage(mailboxId, ctx.newId());
  const content = await putMessage(ctx, object, exactly(chunks, size));
  const reception = { object, folder, size, authentication: null, deliveryKey: null };
  const message = toNewMessage(content.parsed, { ...reception, now: date ?? ctx.now() });
  // When the call fails, the message may be stored nevertheless, so its object stays: retention deletes one that no message names.
  const appended = await store.append(message, toChanges("replace", flags), quotaBytes);
  if (appended.result !== "added") await ctx.env.CONTENT.delete(object);
  if (appended.result === "over-quota") throw overQuota();
  if (appended.result === "no-folder") throw noSuchFolder("TRYCREATE");
  const { result, uid, uidvalidity, usedBytes } = appended;
  if (result === "added") await saveUsedBytes(ctx, { id: mailboxId }, usedBytes);
  return { uid, uidvalidity };
}

async function* exactly(chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const chunk of chunks) {
    left -= chunk.length;
    yield chunk;
  }
  if (left !== 0) throw new CutOffError("the message was cut off");
}
