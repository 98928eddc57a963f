import { parseAddress } from "../../lib/addresses.ts";
import { utf8Length } from "../../lib/bytes.ts";
import { isRelayHeader } from "../../lib/header-rules.ts";
import { parseUuid } from "../../lib/ids.ts";
import { misleadingNameIssue, NAME_BYTES, onOneLine } from "../../lib/text-rules.ts";
import { formatDate } from "../../mail/mime/date.ts";
import type { HeaderField } from "../../mail/mime/headers.ts";
import { parseMailboxes, parseOnlyMailbox } from "../../mail/raw/address-fields.ts";
import { fieldValue, parseFields } from "../../mail/raw/fields.ts";
import type { ScannedMessage } from "../../mail/raw/scanner.ts";
import { textParts } from "../../mail/raw/text-parts.ts";
import { decodeHeader } from "../../mail/texts/decode-header.ts";
import { decodeEncodedWords } from "../../mail/texts/encoded-words.ts";
import { emailLimits } from "../emails/index.ts";
import type { Envelope, ParsedAddress, ParsedRequest, Recipient } from "../emails/send/index.ts";
import { ReplyError } from "./replies.ts";

/** The envelope of a submitted message. */
export interface SubmittedEnvelope {
  from: string;
  to: readonly string[];
}

/** A submitted message with what its row stores. */
export interface ParsedMessage {
  request: ParsedRequest<Envelope>;
  /** The header section to send. */
  head: string;
  messageId: string;
  /** Idempotency-Key of the message; null without one. */
  idempotencyKey: string | null;
}

/** Fields that a message has at most once (RFC 5322 3.6): two readers could choose different ones. */
const ONCE = [
  "from",
  "sender",
  "reply-to",
  "to",
  "cc",
  "subject",
  "date",
  "message-id",
  "mime-version",
  "content-type",
  "content-transfer-encoding",
  "idempotency-key",
  "offer-unsubscribe",
  "unsubscribe-topic",
];

/**
 * Fields that do not leave: recipients that must stay hidden, what only receiving servers may write (RFC 5321 4.4, RFC 8601 5),
 * and what is for this service.
 */
const REMOVED = [
  ...["bcc", "resent-bcc", "return-path", "authentication-results", "idempotency-key"],
  ...["offer-unsubscribe", "unsubscribe-topic"],
];

const refuse = (text: string) => new ReplyError(`554 5.6.0 ${text}`);

/**
 * Checks a message that was read and returns what is stored of it (docs/contract/smtp.md#bytes-of-a-submitted-message). Fields
 * that must not leave are removed from the header section, a missing Message-ID or Date is added, with `id`, the domain of
 * From, and `now` in ms since 1970. Throws ReplyError.
 */
export function parseMessage(
  { head, parts }: Pick<ScannedMessage, "head" | "parts">,
  envelope: SubmittedEnvelope,
  { id, now }: { id: string; now: number },
): ParsedMessage {
  const fields = parseFields(head);
  checkFields(fields);
  checkSizes(parts);
  const from = readFrom(fields);
  const given = fieldValue(fields, "message-id");
  const messageId = given ? onOneLine(decodeHeader(given)) : `<${id}@${from.domain}>`;
  const removed = mayNameSender(fields, [from.key, parseAddress(envelope.from)?.key])
    ? REMOVED
    : [...REMOVED, "sender"];
  const kept = fields.filter(({ name }) => !removed.includes(name.toLowerCase()));
  const added = [
    ...(given ? [] : [`Message-ID: ${messageId}\r\n`]),
    ...(fieldValue(fields, "date") ? [] : [`Date: ${formatDate(new Date(now))}\r\n`]),
  ];
  // An empty Message-ID or Date is replaced.
  const sent = kept.filter(
    ({ name }) => !(/^(?:message-id|date)$/i.test(name) && !fieldValue(kept, name.toLowerCase())),
  );
  const recipients = offerUnsubscribe(fields, toRecipients(fields, envelope.to));
  const subject = onOneLine(decodeEncodedWords(decodeHeader(fieldValue(fields, "subject") ?? "")));
  const sender: ParsedAddress = { email: from.email, key: from.key, name: from.name };
  return {
    request: {
      email: { from: sender, recipients, subject: truncate(subject, emailLimits.lineBytes), tags: null, sendAt: null },
      from: sender,
      recipients,
      ...readTopic(fields),
      issues: [],
    },
    head: [...sent.map(({ raw }) => raw), ...added].join(""),
    messageId: truncate(messageId, emailLimits.lineBytes),
    idempotencyKey: fieldValue(fields, "idempotency-key") || null,
  };
}

function checkFields(fields: readonly HeaderField[]): void {
  const names = fields.map(({ name }) => name.toLowerCase());
  const repeated = ONCE.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (repeated) throw refuse(`the header has more than one ${repeated} field`);
  const relayed = fields.find(({ name }) => isRelayHeader(name));
  if (relayed) throw refuse(`${relayed.name} is refused, because relays take it as a command`);
  const key = fieldValue(fields, "idempotency-key");
  if (key !== null && key.length > 255) throw refuse("Idempotency-Key must be 1 to 255 characters");
}

function checkSizes(parts: ScannedMessage["parts"]): void {
  const { text, html } = textParts(parts);
  const shown = (text?.decodedSize ?? 0) + (html?.decodedSize ?? 0);
  const attached = parts.reduce((sum, { decodedSize }) => sum + decodedSize, 0) - shown;
  const tooLarge = (what: string, size: number, limit: number) =>
    new ReplyError(
      `552 5.3.4 ${what} decode to ${size.toLocaleString("en")} bytes; the limit is ${limit.toLocaleString("en")}`,
    );
  if (attached > emailLimits.attachmentBytes) throw tooLarge("the attachments", attached, emailLimits.attachmentBytes);
  if (shown > emailLimits.bodyBytes) throw tooLarge("html and text together", shown, emailLimits.bodyBytes);
}

function readFrom(fields: readonly HeaderField[]): ParsedAddress & { domain: string } {
  const value = fieldValue(fields, "from");
  if (value === null) throw refuse("the header has no From field");
  const only = parseOnlyMailbox(decodeHeader(value));
  if (!only) throw refuse("the From field must have exactly one mailbox");
  const issue = misleadingNameIssue(only.name ?? "", only.address.key);
  if (issue) throw refuse(issue);
  const name = only.name === null ? null : truncate(onOneLine(only.name), NAME_BYTES);
  return { email: only.address.address, key: only.address.key, name, domain: only.address.domain };
}

/** Returns whether the Sender field, if there is one, has exactly one of the addresses that the credential may send from. */
function mayNameSender(fields: readonly HeaderField[], keys: readonly (string | undefined)[]): boolean {
  const sender = parseOnlyMailbox(decodeHeader(fieldValue(fields, "sender") ?? ""));
  return sender !== null && keys.includes(sender.address.key);
}

/** Returns each recipient of the envelope once, with the kind and name that the header gives it: bcc when it gives none. */
function toRecipients(fields: readonly HeaderField[], addresses: readonly string[]): Recipient[] {
  const named = (name: string) =>
    new Map(parseMailboxes(decodeHeader(fieldValue(fields, name) ?? "")).map((entry) => [entry.address.key, entry]));
  const [to, cc] = [named("to"), named("cc")];
  const unique = new Map<string, Recipient>();
  for (const text of addresses) {
    const address = parseAddress(text);
    if (!address) throw new ReplyError("553 5.1.3 A recipient is no valid email address");
    const { key } = address;
    const kind = to.has(key) ? "to" : cc.has(key) ? "cc" : "bcc";
    const name = (to.get(key) ?? cc.get(key))?.name ?? null;
    unique.set(key, { email: address.address, key, kind, name: name && truncate(onOneLine(name), NAME_BYTES) });
  }
  if (unique.size === 0) throw new ReplyError("554 5.5.1 No valid recipients");
  if (unique.size > emailLimits.recipients)
    throw new ReplyError(`452 4.5.3 The limit is ${emailLimits.recipients} recipients`);
  return [...unique.values()];
}

/**
 * Returns the recipients, with the offer to unsubscribe that the message asks for. The link names one recipient, and one header
 * section has one such field (RFC 8058 3.1). Throws ReplyError.
 */
function offerUnsubscribe(fields: readonly HeaderField[], recipients: Recipient[]): Recipient[] {
  const asked = fieldValue(fields, "offer-unsubscribe");
  const field = fieldValue(fields, "unsubscribe-topic") === null ? "Offer-Unsubscribe" : "Unsubscribe-Topic";
  if (asked !== null && asked.toLowerCase() !== "true") throw refuse("Offer-Unsubscribe must be true");
  if (asked === null && field === "Offer-Unsubscribe") return recipients;
  if (recipients.length > 1)
    throw refuse(`the message has ${recipients.length} recipients; with ${field} it may have one`);
  if (fields.some(({ name }) => /^list-unsubscribe(?:-post)?$/i.test(name)))
    throw refuse(`the field List-Unsubscribe is written by the service with ${field}`);
  return recipients.map((recipient) => ({ ...recipient, unsubscribe: true }));
}

/** Returns the topic that the message names. Throws ReplyError for what is no id of one. */
function readTopic(fields: readonly HeaderField[]): { topic?: string } {
  const id = fieldValue(fields, "unsubscribe-topic");
  if (id === null) return {};
  const topic = parseUuid(id);
  if (topic === null) throw refuse("Unsubscribe-Topic must be the id of a topic");
  return { topic };
}

/** Cuts a text to at most `bytes` in UTF-8, at a code point. */
function truncate(text: string, bytes: number): string {
  let cut = text;
  while (utf8Length(cut) > bytes)
    cut = Array.from(cut)
      .slice(0, -1 - Math.floor((utf8Length(cut) - bytes) / 4))
      .join("");
  return cut;
}
