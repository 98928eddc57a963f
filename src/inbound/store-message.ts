import type { Ctx } from "../context.ts";
import { r2Keys } from "../db/r2-keys.ts";
import { type ParsedMessage, parseMessage } from "../mail/messages/index.ts";
import { type AddResult, mailboxLimits, mailboxStore, type NewMessage } from "../mailbox-store/index.ts";
import { type Authentication, failsDmarc } from "./authentication.ts";
import { identifyDelivery } from "./delivery-key.ts";
import { logDelivery } from "./log.ts";
import type { RecipientMailbox } from "./recipients.ts";

/** A message for a hosted mailbox. */
export interface IncomingMessage {
  /** Envelope recipient. */
  to: string;
  raw: Uint8Array;
  authentication: Authentication | null;
}

/**
 * Stores a message in a mailbox: first the message as an object in R2, then its record in the mailbox, then its entry in the
 * inbound log. Each step may be repeated, so a sending server that tries again after a failure neither loses nor doubles
 * the message. Throws when a step failed.
 */
export async function storeMessage(
  ctx: Ctx,
  mailbox: RecipientMailbox,
  mail: IncomingMessage,
): Promise<AddResult["result"]> {
  const parsed = parseMessage(mail.raw);
  const delivery = await identifyDelivery(mailbox.id, mail.to, mail.raw, parsed);
  const object = `${r2Keys.mailbox(mailbox.id)}${delivery.object}.eml`;
  await ctx.env.CONTENT.put(object, mail.raw);
  const message = toNewMessage(parsed, mail, { object, deliveryKey: delivery.key, now: ctx.now() });
  const added = await mailboxStore(ctx, mailbox.id).add(message, mailbox.quota_bytes);
  const isUnused = added.result === "duplicate" ? added.object !== object : added.result !== "added";
  if (isUnused) await ctx.env.CONTENT.delete(object);
  if (added.result === "added" || added.result === "duplicate") {
    const folder = added.result === "added" ? added.folder : null;
    await logDelivery(ctx, mailbox, { id: delivery.id, recipient: mail.to, message, folder });
    await saveUsedBytes(ctx, mailbox, added.usedBytes);
  }
  return added.result;
}

function toNewMessage(
  parsed: ParsedMessage,
  { raw, authentication }: IncomingMessage,
  { object, deliveryKey, now }: { object: string; deliveryKey: string; now: number },
): NewMessage {
  const { fields: _, text, ...message } = parsed;
  return {
    ...message,
    object,
    folder: authentication && failsDmarc(authentication) ? "Spam" : "INBOX",
    receivedAt: now,
    preview: toPreview(text),
    searchText: text,
    size: raw.length,
    authentication: authentication && JSON.stringify(authentication),
    seen: false,
    draft: false,
    deliveryKey,
  };
}

/** Returns the beginning of a text in one line. */
export function toPreview(text: string): string {
  const line = text.slice(0, 4 * mailboxLimits.previewCharacters).replace(/[\s\p{Cc}]+/gu, " ");
  // Does not end within a surrogate pair.
  return Array.from(line.trim()).slice(0, mailboxLimits.previewCharacters).join("");
}

/**
 * Copies the size of a mailbox to its row, where records show it and servers ask for it. A failure is only logged: the message
 * is stored, and the next one corrects the size.
 */
export async function saveUsedBytes(ctx: Ctx, { id }: { id: string }, usedBytes: number): Promise<void> {
  try {
    await ctx.db.prepare("UPDATE mailboxes SET used_bytes = ?2 WHERE id = ?1").bind(id, usedBytes).run();
  } catch (error) {
    ctx.log("mailbox.size-not-saved", { mailbox: id, error: String(error) });
  }
}
