import type { CallerCtx } from "../../../access/caller.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { AppError, bodyError, notFound, requireFound, unprocessable } from "../../../lib/errors.ts";
import { ComposeError } from "../../../mail/mime/errors.ts";
import {
  type AddResult,
  type MessageItem,
  type NewMessage,
  type Person,
  saveUsedBytes,
} from "../../mailbox-store/index.ts";
import { authorOf, isShared, type OpenMailbox } from "../open.ts";
import { findFiles, toAttachment } from "./files.ts";
import { composeOwn, putOwnMessage } from "./own-message.ts";
import { replyFields } from "./reply-fields.ts";
import type { DraftIn } from "./schema.ts";
import { senderOf } from "./sender.ts";
import { beingSent, stopSending } from "./stop-sending.ts";

/** Stores a draft and returns it. Throws 422 for an invalid field, 409 when the mailbox is full. */
export async function createDraft(ctx: CallerCtx, mailbox: OpenMailbox, input: DraftIn): Promise<MessageItem> {
  const message = await putDraft(ctx, mailbox, input);
  return saved(ctx, mailbox, message, await mailbox.store.add(message, mailbox.quotaBytes));
}

/**
 * Replaces a draft by a new version, which has a new UID, and returns that. An email that waits to be sent from it is stopped. Throws
 * 404, 409 when that is too late, and as createDraft does.
 */
export async function replaceDraft(
  ctx: CallerCtx,
  mailbox: OpenMailbox,
  uid: number,
  input: DraftIn,
): Promise<MessageItem> {
  const known = requireFound(await mailbox.store.find("Drafts", uid), "Draft");
  const message = await putDraft(ctx, mailbox, input);
  try {
    // After the checks of the draft, so that one that they refuse stops nothing.
    if (known.claim) await stopSending(ctx, [known.claim]);
  } catch (error) {
    await ctx.env.CONTENT.delete(message.object);
    throw error;
  }
  const stopped = known.claim?.email ?? null;
  return saved(ctx, mailbox, message, await mailbox.store.replaceDraft(uid, message, mailbox.quotaBytes, stopped));
}

/** Deletes a draft for good, and stops an email that waits to be sent from it. Throws 404, and 409 when that is too late. */
export async function deleteDraft(ctx: CallerCtx, mailbox: OpenMailbox, uid: number): Promise<void> {
  await stopSending(ctx, await mailbox.store.findClaims([uid]));
  const result = await mailbox.store.expunge("Drafts", [uid]);
  if (!result?.uids.length) throw notFound("Draft");
  await saveUsedBytes(ctx, mailbox, result.usedBytes);
}

async function saved(
  ctx: CallerCtx,
  mailbox: OpenMailbox,
  message: NewMessage,
  result: AddResult | { result: "sending"; email: string } | null,
): Promise<MessageItem> {
  if (result?.result !== "added") await ctx.env.CONTENT.delete(message.object);
  if (!result) throw notFound("Draft");
  if (result.result === "sending") throw beingSent(result.email);
  if (result.result !== "added") throw new AppError(409, "The mailbox is full");
  await saveUsedBytes(ctx, mailbox, result.usedBytes);
  const draft = requireFound(await mailbox.store.find(result.folder, result.uid), "Draft");
  const isAnswer = message.inReplyTo !== null && isShared(mailbox);
  if (isAnswer) await mailbox.store.noteWriting(draft.threadId, authorOf(ctx));
  return draft;
}

async function putDraft(ctx: CallerCtx, mailbox: OpenMailbox, input: DraftIn): Promise<NewMessage> {
  const from = senderOf(mailbox, input.from);
  const [to, cc, bcc] = [people(input, "to"), people(input, "cc"), people(input, "bcc")];
  const files = await findFiles(ctx, mailbox, input.file_ids ?? []);
  const { headers } = await replyFields(mailbox, input.in_reply_to);
  const id = ctx.newId();
  const date = new Date(ctx.now());
  try {
    const message = composeOwn({
      id,
      messageId: `<${id}@${from.split("@")[1]}>`,
      date,
      from: { email: from, name: mailbox.displayName },
      to,
      cc,
      subject: input.subject ?? "",
      headers: Object.entries(headers),
      text: input.text || (input.html ? null : ""),
      html: input.html || null,
      attachments: files.map(toAttachment),
    });
    const place = { mailboxId: mailbox.id, id, folder: "Drafts" as const };
    return await putOwnMessage(ctx, { ...place, message, date, bcc, deliveryKey: null });
  } catch (error) {
    if (!(error instanceof ComposeError)) throw error;
    throw unprocessable([bodyError([], `The draft cannot be a message: ${error.message}`)]);
  }
}

/** Returns the addresses of a field. Throws 422. */
function people(input: DraftIn, field: "to" | "cc" | "bcc"): Person[] {
  const parsed = (input[field] ?? []).map((email) => parseAddress(email));
  const errors = parsed.flatMap((address, index) =>
    address ? [] : [bodyError([field, index], "Not a valid email address")],
  );
  if (errors.length > 0) throw unprocessable(errors);
  return parsed.flatMap((address) => (address ? [{ email: address.address, name: null }] : []));
}
