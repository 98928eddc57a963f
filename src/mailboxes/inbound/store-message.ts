import { createHash } from "node:crypto";
import { addressKey } from "../../lib/addresses.ts";
import { utf8 } from "../../lib/bytes.ts";
import { uuidFromHash } from "../../lib/ids.ts";
import { type CheckedAuthentication, failsDmarc } from "../../mail/authentication-results/stored-results.ts";
import type { ParsedMessage } from "../../mail/messages/parse.ts";
import { dailyKey, notifyOwners } from "../../notices/notifications/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { mailboxStore, putMessage, saveUsedBytes, toNewMessage } from "../mailbox-store/index.ts";
import type { RecipientMailbox } from "./recipients.ts";
import { recordDelivery } from "./record-delivery.ts";
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

/**
 * Stores a message in a mailbox and returns the result and the bytes: first the message as an object in R2, then its record in the mailbox, then its entry in the
 * inbound log with the outbox rows of its forwards. Each step may be repeated, so a sending server that tries again after a
 * failure neither loses nor doubles the message or a forward, except that a message without Message-ID is stored by each attempt. Each
 * attempt writes an object of its own; one that the mailbox does not take is deleted here, or by retention after a crash. The object
 * and the log entry have the same id. Throws MessageTooLargeError, and other errors when a step failed.
 */
export async function storeMessage(ctx: Ctx, mailbox: RecipientMailbox, mail: IncomingMessage) {
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
  const arrived = { ...message, repeatedMs: REPEATED_MS, isFiltered: true };
  const added = await mailboxStore(ctx, mailbox.id).add(arrived, mailbox.quota_bytes);
  const isUnused = added.result === "duplicate" ? added.object !== object : added.result !== "added";
  if (isUnused) await ctx.env.CONTENT.delete(object);
  if (added.result === "added" || added.result === "duplicate") {
    const stored = added.result === "duplicate" ? added.object : object;
    const placed = { ...message, object: stored, folder: added.folder };
    const { forwards, threadId } = added;
    await recordDelivery(ctx, mailbox, { ...mail, authentication, parsed, message: placed, threadId, forwards });
    await warnQuota(ctx, mailbox, added.usedBytes);
    await saveUsedBytes(ctx, mailbox, added.usedBytes);
  }
  return { result: added.result, bytes: size };
}

/** How long a message counts as repeated after its first delivery, in ms. Sending servers try again for five days (RFC 5321 4.5.4.1). */
const REPEATED_MS = 7 * 24 * 3_600_000;

/**
 * Returns the key of a delivery, equal for each attempt of a sending server to deliver one message to one mailbox
 * (docs/contract/inbound.md#repeated-deliveries). Made of mailbox, From, Date, Message-ID, Subject and the hash of the body:
 * other fields change between attempts, such as Received. Returns null for a message without a valid Message-ID: devices send
 * different messages that are equal in all the rest.
 */
async function deliveryKey(
  mailboxId: string,
  { fields, messageId }: Pick<ParsedMessage, "fields" | "messageId">,
  bodyHash: string,
): Promise<string | null> {
  if (messageId === null) return null;
  const identity = ["from", "date", "message-id", "subject"].map((name) => fields.all(name));
  return uuidFromHash(utf8(JSON.stringify([mailboxId, identity, bodyHash])));
}

/** The part of its quota from which the owners are told that a mailbox is nearly full. */
const NEARLY_FULL = 0.9;

/**
 * Notifies the owners when a message made a mailbox nearly full, at most once a day for a mailbox that crosses the limit
 * again. Must run before the new size is saved, so that a repeated delivery repeats it.
 */
async function warnQuota(ctx: Ctx, mailbox: RecipientMailbox, usedBytes: number): Promise<void> {
  const { id, workspace, quota_bytes: quota, used_bytes: before } = mailbox;
  if (quota === null || before > quota * NEARLY_FULL || usedBytes <= quota * NEARLY_FULL) return;
  const address = await ctx.db.findValue<string>("SELECT address FROM mailboxes WHERE id = ?1", id);
  await notifyOwners(ctx, workspace, {
    category: "alerts",
    severity: "warning",
    href: "/mailboxes",
    title: `The mailbox ${address ?? id} is nearly full`,
    body: `It has ${usedBytes} of its ${quota} bytes. When it is full, mail to it is refused. Delete messages, or raise its quota.`,
    key: dailyKey(`quota ${id}`, ctx.now()),
  });
}
