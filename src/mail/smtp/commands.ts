/**
 * Builds and validates the command lines of one transaction before any is written (RFC 5321 4.1.1, 1870, 3461, 6152, 6531). An invalid
 * address or parameter does not throw: it gets the result of a 5xx reply, so that one invalid envelope affects no other. Pure.
 */

import { toWireAddress, type WireAddress } from "./addresses.ts";
import type { ServerCapabilities } from "./capabilities.ts";
import { localReply } from "./replies.ts";
import type { Envelope, EnvelopeRecipient, OutgoingMessage, RecipientResult, Reply } from "./transport.ts";
import { originalRecipient, xtext } from "./xtext.ts";

interface PlannedRecipient {
  /** Index in `envelope.recipients`. */
  index: number;
  /** RCPT line without CRLF. */
  line: string;
  /** NOTIFY=SUCCESS is on the line. */
  asksSuccess: boolean;
}

/** The lines of one transaction, and the results that need no server. */
export interface Plan {
  /** MAIL line without CRLF. */
  mail: string;
  recipients: readonly PlannedRecipient[];
  /** Results in the order of `envelope.recipients`; null where the server decides. */
  decided: readonly (RecipientResult | null)[];
}

const ENVID_MAX_CHARS = 100;
const ORCPT_MAX_CHARS = 500;

/** Returns the plan of a transaction. When it has no recipients, nothing needs to be written. */
export function planTransaction(envelope: Envelope, message: OutgoingMessage, server: ServerCapabilities): Plan {
  const from = envelope.mailFrom === "" ? NULL_SENDER : toWireAddress(envelope.mailFrom);
  const refusal = from ? refuseMessage(envelope, message, server, from) : BAD_SENDER;
  if (refusal || !from) {
    const result: RecipientResult = { kind: "message-refused", phase: "mail", reply: refusal ?? BAD_SENDER };
    return { mail: "", recipients: [], decided: envelope.recipients.map(() => result) };
  }
  const recipients: PlannedRecipient[] = [];
  let utf8 = message.needsSmtpUtf8 || !from.ascii;
  const decided = envelope.recipients.map((recipient, index): RecipientResult | null => {
    const to = toWireAddress(recipient.address);
    const reply = to ? refuseRecipient(recipient, to, server) : BAD_RECIPIENT;
    if (reply || !to) return { kind: "recipient-refused", phase: "rcpt", reply: reply ?? BAD_RECIPIENT };
    utf8 ||= !to.ascii;
    const dsn = server.dsn ? recipientDsn(recipient) : "";
    const line = `RCPT TO:<${to.address}>${dsn}`;
    recipients.push({ index, line, asksSuccess: server.dsn && asksSuccess(recipient) });
    return null;
  });
  return { mail: mailLine(from, envelope, message, server, utf8), recipients, decided };
}

const NULL_SENDER: WireAddress = { address: "", ascii: true };
const BAD_SENDER = localReply(553, "5.1.7", "The return path is not a valid address");
const BAD_RECIPIENT = localReply(553, "5.1.3", "The recipient is not a valid address");
const BAD_PARAMETER = localReply(
  501,
  "5.5.4",
  "A DSN parameter (ENVID, RET, NOTIFY, ORCPT) is not valid in an SMTP command",
);

function refuseMessage(envelope: Envelope, message: OutgoingMessage, server: ServerCapabilities, from: WireAddress) {
  if (!Number.isSafeInteger(message.size) || message.size < 1)
    return localReply(554, "5.6.0", "The message has no valid size");
  if (!isValidEnvelopeId(envelope.envelopeId)) return BAD_PARAMETER;
  if (envelope.return !== undefined && envelope.return !== "FULL" && envelope.return !== "HDRS") return BAD_PARAMETER;
  if (server.maxSize !== null && message.size > server.maxSize) {
    const text = `The message is ${message.size} bytes; the limit of the server is ${server.maxSize}`;
    return localReply(552, "5.3.4", text);
  }
  if (!server.smtpUtf8 && !from.ascii)
    return localReply(553, "5.6.7", "The server does not support a non-ASCII return path (SMTPUTF8)");
  if (!server.smtpUtf8 && message.needsSmtpUtf8)
    return localReply(554, "5.6.9", "The server does not support UTF-8 headers (SMTPUTF8)");
  if (!server.eightBitMime && message.needs8BitMime)
    return localReply(554, "5.6.3", "The server does not support eight-bit content (8BITMIME)");
  return null;
}

function refuseRecipient(recipient: EnvelopeRecipient, to: WireAddress, server: ServerCapabilities): Reply | null {
  if (!to.ascii && !server.smtpUtf8)
    return localReply(553, "5.6.7", "The server does not support a non-ASCII address (SMTPUTF8)");
  const { notify, originalRecipient: original } = recipient;
  if (notify !== undefined && notify !== "NEVER" && !notify.every((keyword) => NOTIFY_KEYWORDS.has(keyword)))
    return BAD_PARAMETER;
  if (original === undefined) return null;
  const isClean = /^[^\x00-\x1f\x7f-\x9f]+$/.test(original) && original.isWellFormed();
  return isClean && originalRecipient(original).length <= ORCPT_MAX_CHARS ? null : BAD_PARAMETER;
}

const NOTIFY_KEYWORDS = new Set(["SUCCESS", "FAILURE", "DELAY"]);

function isValidEnvelopeId(id: string | undefined): boolean {
  return id === undefined || (/^[\x21-\x7e]+$/.test(id) && xtext(id).length <= ENVID_MAX_CHARS);
}

function mailLine(
  from: WireAddress,
  envelope: Envelope,
  message: OutgoingMessage,
  server: ServerCapabilities,
  utf8: boolean,
): string {
  const size = server.size ? ` SIZE=${message.size}` : "";
  const body = message.needs8BitMime ? " BODY=8BITMIME" : "";
  const ret = server.dsn && envelope.return ? ` RET=${envelope.return}` : "";
  const id = server.dsn && envelope.envelopeId !== undefined ? ` ENVID=${xtext(envelope.envelopeId)}` : "";
  return `MAIL FROM:<${from.address}>${size}${body}${utf8 ? " SMTPUTF8" : ""}${ret}${id}`;
}

function recipientDsn(recipient: EnvelopeRecipient): string {
  const notify = typeof recipient.notify === "string" ? recipient.notify : (recipient.notify ?? []).join(",");
  const original = recipient.originalRecipient;
  return `${notify ? ` NOTIFY=${notify}` : ""}${original === undefined ? "" : ` ORCPT=${originalRecipient(original)}`}`;
}

function asksSuccess(recipient: EnvelopeRecipient): boolean {
  return Array.isArray(recipient.notify) && recipient.notify.includes("SUCCESS");
}
