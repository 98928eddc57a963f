import { createHash } from "node:crypto";
import { addressKey } from "../../lib/addresses.ts";
import { type CheckedAuthentication, failsDmarc } from "../../mail/authentication-results/stored-results.ts";
import type { Ctx } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { type AddResult, mailboxStore, putMessage, saveUsedBytes, toNewMessage } from "../mailbox-store/index.ts";
import { deliveryKey, REPEATED_MS } from "./delivery-key.ts";
import type { RecipientMailbox } from "./recipients.ts";
import { recordDelivery } from "./record-delivery.ts";
import { warnQuota } from "./warn-quota.ts";
import { RESULTS_BYTES, resultsInHeader } from "./worker-results.ts";

/** Largest message that is received, in bytes (Email Routing limits: 25 MiB). */
export const MAX_MESSAGE_BYTES = 25 * 1024 * 1024;

/** A message for a hosted mailbox. */
export interface IncomingMessage {
  /** Envelope sender; empty for the null reverse-path. */
  from: string;
  /** Envelope recipient. */
  to: string;
  /** A chunk is valid until the next one is read. */
  raw: AsyncIterable<Uint8Array>;
  /** `in-header`: the server that received it wrote it into the header, under the authserv-id of the settings. */
  authentication: CheckedAuthentication | "in-header" | null;
  /** True when a spam filter marks it. */
  isSpam?: boolean;
}

/** The result of storing a message, and its bytes. */
export interface StoreResult {
  result: AddResult["result"];
  bytes: number;
}

/**
 * Stores a message in a mailbox: first the message as an object in R2, then its record in the mailbox, then its entry in the
 * inbound log with the outbox rows of its forwards. Each step may be repeated, so a sending server that tries again after a
 * failure neither loses nor doubles the message or a forward, except that a message without Message-ID is stored by each attempt. Each
 * attempt writes an object of its own; one that the mailbox does not take is deleted here, or by retention after a crash. The object
 * and the log entry have the same id. Throws MessageTooLargeError, and other errors when a step failed.
 */
export async function storeMessage(ctx: Ctx, mailbox: RecipientMailbox, mail: IncomingMessage): Promise<StoreResult> {
  const body = createHash("sha256");
  const object = r2Keys.mailboxMessage(mailbox.id, ctx.newId());
  const bounds = { maxBytes: MAX_MESSAGE_BYTES, startBytes: RESULTS_BYTES };
  const content = await putMessage(ctx, object, mail.raw, { ...bounds, body });
  const { parsed, size } = content;
  const authentication =
    mail.authentication === "in-header" ? resultsInHeader(ctx, content.start, parsed) : mail.authentication;
  const { isSpam = false } = mail;
  const message = toNewMessage(parsed, {
    object,
    folder: isSpam || (authentication && failsDmarc(authentication)) ? "Spam" : "INBOX",
    size,
    authentication,
    deliveryKey: await deliveryKey(mailbox.id, parsed, body.digest("hex")),
    deliveredTo: addressKey(mail.to),
    now: ctx.now(),
  });
  const added = await mailboxStore(ctx, mailbox.id).add(
    { ...message, repeatedMs: REPEATED_MS, isFiltered: true },
    mailbox.quota_bytes,
  );
  const isUnused = added.result === "duplicate" ? added.object !== object : added.result !== "added";
  if (isUnused) await ctx.env.CONTENT.delete(object);
  if (added.result === "added" || added.result === "duplicate") {
    const stored = added.result === "duplicate" ? added.object : object;
    const placed = { ...message, object: stored, folder: added.folder };
    const { forwards } = added;
    await recordDelivery(ctx, mailbox, { ...mail, authentication, parsed, message: placed, forwards });
    await warnQuota(ctx, mailbox, added.usedBytes);
    await saveUsedBytes(ctx, mailbox, added.usedBytes);
  }
  return { result: added.result, bytes: size };
}

/** Returns what the mail server before the Email Worker found. */
