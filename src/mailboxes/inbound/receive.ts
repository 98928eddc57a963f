import { evaluateReports } from "../../domains/health/index.ts";
import { findReportTarget, REPORT_MAIL_BYTES, receiveDomainReport } from "../../domains/reports/index.ts";
import type { CheckedAuthentication } from "../../mail/authentication-results/stored-results.ts";
import { parseMessage } from "../../mail/messages/parse.ts";
import type { Ctx } from "../../platform/context.ts";
import { hasMailSpace } from "../../platform/jobs/shard-sizes.ts";
import {
  isCfblAddress,
  isFeedbackRecipient,
  receiveCfblReport,
  receiveFeedback,
} from "../../sending/feedback/index.ts";
import { findRecipient, unsubscribe } from "../../sending/unsubscribes/index.ts";
import { readForward, receiveForwardReport } from "../forwards/index.ts";
import { MessageTooLargeError, mailboxStore, saveUsedBytes } from "../mailbox-store/index.ts";
import { findMailbox, type RecipientMailbox } from "./recipients.ts";
import { type IncomingMessage, MAX_MESSAGE_BYTES, storeMessage } from "./store-message.ts";
import { resultsInHeader } from "./worker-results.ts";

/** A message that arrived by SMTP for one recipient, and what the server that received it knows about it. */
export interface ArrivedMail extends IncomingMessage {
  /** Bytes of the message, when they are known before it is read. */
  size: number | null;
}

/** The result: accepted, or refused with a reply (RFC 5321 4.2, RFC 3463). A reply that begins with 4 asks to try again. */
export type ReceiveResult = { accepted: true; kind: string } | { accepted: false; reply: string };

/** Bytes of a report that are read. Reports put their result at the beginning and the returned mail at the end. */
const REPORT_BYTES = 1024 * 1024;

const UNKNOWN = "550 5.1.1 No such recipient";
const OVER_QUOTA = "452 4.2.2 The mailbox is full";
const NO_SPACE = "452 4.3.1 The server has no space for mail of this recipient";
const TOO_LARGE = `552 5.3.4 The message is larger than ${MAX_MESSAGE_BYTES} bytes`;

const refused = (reply: string) => ({ accepted: false, reply }) as const;

/** Decides whether mail for a recipient would be accepted, before its content is sent (RCPT TO). */
export async function checkRecipient(ctx: Ctx, to: string): Promise<ReceiveResult> {
  if (await isFeedbackRecipient(ctx, to)) return { accepted: true, kind: "feedback" };
  if (await readForward(ctx, to)) return { accepted: true, kind: "forward" };
  if (await findReportTarget(ctx, to)) return { accepted: true, kind: "domain-report" };
  const mailbox = await findMailbox(ctx, to);
  if (!mailbox) return refused(UNKNOWN);
  if (!hasSpace(ctx, mailbox)) return refused(NO_SPACE);
  return (await isFull(ctx, mailbox)) ? refused(OVER_QUOTA) : { accepted: true, kind: "mailbox" };
}

const hasSpace = (ctx: Ctx, { mail_size: mailSize, over_share: overShare }: RecipientMailbox) =>
  hasMailSpace(ctx, { mailSize, isOverShare: overShare === 1 });

/**
 * Returns whether a mailbox takes no further byte. The size in its row may be old: its write can fail, and those of two changes can
 * be in the wrong order. A mailbox that seems full is asked itself, as no mail would correct its row.
 */
async function isFull(ctx: Ctx, { id, quota_bytes: quota, used_bytes: used }: RecipientMailbox): Promise<boolean> {
  if (quota === null || used < quota) return false;
  const { usedBytes } = await mailboxStore(ctx, id).quota();
  if (usedBytes !== used) await saveUsedBytes(ctx, { id }, usedBytes);
  return usedBytes >= quota;
}

/**
 * Receives a message that arrived by SMTP: an unsubscribe, a report about an email of the service, or mail for a hosted mailbox. It may be
 * repeated. Throws when the result could not be stored; the sending server must then be told to try again.
 */
export async function receiveMail(ctx: Ctx, mail: ArrivedMail): Promise<ReceiveResult> {
  const recipient = await findRecipient(ctx, mail.to);
  if (recipient && (await unsubscribe(ctx, recipient, "mailto"))) return { accepted: true, kind: "unsubscribe" };
  if (isCfblAddress(ctx, mail.to)) {
    const raw = await readStart(mail.raw, REPORT_BYTES);
    const result = await receiveCfblReport(ctx, { raw, authentication: authenticationOf(ctx, mail, raw) });
    ctx.log("inbound.cfbl-report", { result });
    return { accepted: true, kind: "feedback" };
  }
  if (await isFeedbackRecipient(ctx, mail.to)) {
    const raw = await readStart(mail.raw, REPORT_BYTES);
    const kind = await receiveFeedback(ctx, { from: mail.from, to: mail.to, raw });
    ctx.log("inbound.feedback", { kind });
    return { accepted: true, kind };
  }
  const forward = await readForward(ctx, mail.to);
  if (forward) {
    const raw = await readStart(mail.raw, REPORT_BYTES);
    const kind = await receiveForwardReport(ctx, forward, { from: mail.from, raw });
    ctx.log("inbound.forward-report", { kind });
    return { accepted: true, kind };
  }
  const reported = await findReportTarget(ctx, mail.to);
  if (reported) {
    const raw = await readStart(mail.raw, REPORT_MAIL_BYTES);
    const authentication = authenticationOf(ctx, mail, raw);
    const { result, domains } = await receiveDomainReport(ctx, reported, { raw, authentication });
    const domain = reported === "shared" ? domains[0] : reported.id;
    ctx.log("inbound.domain-report", { domain, result });
    await Promise.all(domains.map((id) => evaluateReports(ctx, id)));
    return { accepted: true, kind: "domain-report" };
  }
  const mailbox = await findMailbox(ctx, mail.to);
  if (!mailbox) return refused(UNKNOWN);
  if (!hasSpace(ctx, mailbox)) return refused(NO_SPACE);
  if (mail.size !== null && mail.size > MAX_MESSAGE_BYTES) return refused(TOO_LARGE);
  try {
    const { result, bytes } = await storeMessage(ctx, mailbox, mail);
    ctx.log("inbound.mailbox", { mailbox: mailbox.id, result, bytes });
    if (result === "over-quota") return refused(OVER_QUOTA);
    return { accepted: true, kind: "mailbox" };
  } catch (error) {
    if (error instanceof MessageTooLargeError) return refused(TOO_LARGE);
    throw error;
  }
}

/** Returns what the server that received a report found about it. */
const authenticationOf = (ctx: Ctx, { authentication }: ArrivedMail, raw: Uint8Array): CheckedAuthentication | null =>
  authentication === "in-header" ? resultsInHeader(ctx, raw, parseMessage(raw)) : authentication;

/** Returns whether an address receives reports about mail of the service, none of which reaches a mailbox. */
export async function isReportRecipient(ctx: Ctx, address: string): Promise<boolean> {
  return (await isFeedbackRecipient(ctx, address)) || (await readForward(ctx, address)) !== null;
}

async function readStart(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(maxBytes);
  let filled = 0;
  for await (const chunk of stream) {
    const part = chunk.subarray(0, maxBytes - filled);
    bytes.set(part, filled);
    filled += part.byteLength;
    if (filled === maxBytes) break;
  }
  return bytes.slice(0, filled);
}
