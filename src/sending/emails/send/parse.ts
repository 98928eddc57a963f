import { parseAddress } from "../../../lib/addresses.ts";
import { utf8Length } from "../../../lib/bytes.ts";
import { parseUuid } from "../../../lib/ids.ts";
import type { ExtractedContent } from "../../../lib/json-extract/content.ts";
import { misleadingNameIssue, nameIssue } from "../../../lib/text-rules.ts";
import type { TopicRef } from "../../topics/index.ts";
import { limits } from "../rules.ts";
import type { MailboxIn, SendIn } from "../schema.ts";
import { headerIssue, subjectIssue, tagIssue, tooLong } from "./field-rules.ts";
import { type Issue, invalid } from "./issues.ts";
import { type ParsedAttachment, parseAttachments } from "./parse-attachments.ts";
import { readSendAt } from "./send-at.ts";

export interface ParsedAddress {
  email: string;
  /** Canonical form of the address. */
  key: string;
  name: string | null;
}

export interface Recipient extends ParsedAddress {
  kind: "to" | "cc" | "bcc";
  /** Set when the email offers its only recipient to unsubscribe. */
  unsubscribe?: true;
}

/** The part of an email that its row stores. */
export interface Envelope {
  from: ParsedAddress;
  recipients: Recipient[];
  subject: string;
  tags: string[] | null;
  /** Milliseconds since 1970; null: at once. */
  sendAt: number | null;
}

/** A whole email: the envelope, and the content that is stored in R2. */
export interface ParsedEmail extends Envelope {
  html: string | ExtractedContent | null;
  text: string | ExtractedContent | null;
  headers: [string, string][];
  replyTo: ParsedAddress | null;
  tracking: SendIn["tracking"];
  /** True when a text part is made from the html. */
  makesText: boolean;
  attachments: ParsedAttachment[];
}

/**
 * A request with its issues. `email` is null when there are issues; `from` and `recipients` are then those addresses
 * that could be read, so that later checks can report on them too.
 */
export interface ParsedRequest<Email extends Envelope = ParsedEmail> {
  email: Email | null;
  from: ParsedAddress | null;
  recipients: Recipient[];
  /** The topic of the email, which may not exist. */
  topic?: TopicRef;
  issues: Issue[];
}

/**
 * Parses a send request and collects every issue that needs no database (docs/contract/emails.md#send-request), after the
 * `known` ones of its template. `now` is in milliseconds since 1970.
 */
export function parse(input: SendIn, now: number, known: readonly Issue[] = []): ParsedRequest {
  const issues: Issue[] = [...known];
  const from = parseMailbox(input.from_, "from", ["from_"], issues);
  const recipients = parseRecipients(input, issues);
  const rest = {
    replyTo: input.reply_to ? parseMailbox(input.reply_to, "content", ["reply_to"], issues) : null,
    sendAt: parseSendAt(input.send_at, now, issues),
    attachments: parseAttachments(input, issues),
  };
  checkContent(input, issues);
  checkUnsubscribe(input, recipients, issues);
  const email = from && issues.length === 0 ? { ...contentOf(input), ...rest, from, recipients } : null;
  return { email, from, recipients, ...topicOfInput(input), issues };
}

/** Returns the topic that a request names; a malformed id is that of no topic. */
function topicOfInput({ topic_id: topicId }: SendIn): Pick<ParsedRequest, "topic"> {
  return topicId === undefined || topicId === null ? {} : { topic: parseUuid(topicId) ?? "" };
}

function contentOf(input: SendIn) {
  return {
    subject: input.subject ?? "",
    tags: input.tags?.length ? [...new Set(input.tags)] : null,
    html: input.html || null,
    text: input.text || null,
    headers: Object.entries(input.headers ?? {}),
    tracking: input.tracking,
    makesText: !input.text && input.text_from_html !== false,
  };
}

function parseMailbox(
  input: MailboxIn,
  field: Issue["field"],
  loc: Issue["loc"],
  issues: Issue[],
): ParsedAddress | null {
  const address = parseAddress(input.email);
  const name = input.name ?? "";
  const issue = nameIssue(name) ?? (field === "to" ? null : misleadingNameIssue(name, address?.key ?? null));
  if (!address) issues.push(invalid(field, [...loc, "email"], "Not a valid email address"));
  if (issue) issues.push(invalid(field, [...loc, "name"], issue));
  // The display form of an address cannot show white space around a name.
  return address && { email: address.address, key: address.key, name: input.name?.trim() || null };
}

/** Returns all recipients, each address once: the first of to, cc, bcc keeps it. */
function parseRecipients(input: SendIn, issues: Issue[]): Recipient[] {
  const unique = new Map<string, Recipient>();
  for (const kind of ["to", "cc", "bcc"] as const) {
    for (const [index, entry] of (input[kind] ?? []).entries()) {
      const address = parseMailbox(entry, "to", [kind, index], issues);
      if (address && !unique.has(address.key)) unique.set(address.key, { ...address, kind });
    }
  }
  if (input.to.length === 0) issues.push(invalid("to", ["to"], "At least one recipient is required", "too_short"));
  if (unique.size > limits.recipients) {
    const error = `The email has ${unique.size} recipients; the limit is ${limits.recipients}`;
    issues.push(invalid("to", ["to"], error, "too_long"));
  }
  return [...unique.values()];
}

function parseSendAt(sendAt: unknown, now: number, issues: Issue[]): number | null {
  if (sendAt === undefined || sendAt === null) return null;
  const read = readSendAt(sendAt, now);
  if ("at" in read) return read.at;
  issues.push({ field: "content", status: 400, loc: ["send_at"], type: "value_error", error: read.error });
  return null;
}

/** The link of an unsubscribe names one recipient, and one header section has one such field (RFC 8058 3.1). */
function checkUnsubscribe(input: SendIn, recipients: Recipient[], issues: Issue[]): void {
  const field = input.topic_id ? "topic_id" : "unsubscribe";
  if (field === "unsubscribe" && input.unsubscribe !== true) return;
  if (recipients.length > 1) {
    const error = `The email has ${recipients.length} recipients; with ${field} it may have one`;
    issues.push(invalid("content", [field], error));
  }
  if (field === "topic_id" && input.unsubscribe === false)
    issues.push(invalid("content", ["unsubscribe"], "An email of a topic always offers to unsubscribe"));
  if (Object.keys(input.headers ?? {}).some((name) => /^list-unsubscribe(-post)?$/i.test(name)))
    issues.push(invalid("content", [field], `The header List-Unsubscribe is written by the service with ${field}`));
  for (const recipient of recipients) recipient.unsubscribe = true;
}

function checkContent(input: SendIn, issues: Issue[]): void {
  if (!input.html && !input.text) {
    issues.push(invalid("content", ["html"], "At least one of html or text is required", "missing"));
  }
  // Most texts are far below the limit, so their bytes need not be counted.
  const size = mostBytes(input.html) + mostBytes(input.text) > limits.bodyBytes ? bytesOf(input) : 0;
  if (size > limits.bodyBytes) {
    const error = tooLong("html and text together", size, limits.bodyBytes, "bytes");
    issues.push({ field: "content", status: 413, loc: [], type: "too_large", error });
  }
  const issue = subjectIssue(input.subject ?? "");
  if (issue) issues.push(invalid("content", ["subject"], issue));
  checkHeaders(Object.entries(input.headers ?? {}), issues);
  checkTags(input.tags ?? [], issues);
}

/** Returns the length of html and text together in bytes. */
const bytesOf = ({ html, text }: SendIn) => textLength(html) + textLength(text);

/** Returns the greatest length in bytes that html or text can have: a UTF-16 unit takes at most three in UTF-8. */
const mostBytes = (text: SendIn["html"]): number => (typeof text === "string" ? 3 * text.length : (text?.size ?? 0));

const textLength = (text: SendIn["html"]): number => (typeof text === "string" ? utf8Length(text) : (text?.size ?? 0));

function checkTags(tags: readonly string[], issues: Issue[]): void {
  const count = new Set(tags).size;
  if (count > limits.tags) {
    const error = `The email has ${count} tags; the limit is ${limits.tags}`;
    issues.push(invalid("content", ["tags"], error, "too_long"));
  }
  for (const [index, tag] of tags.entries()) {
    const issue = tagIssue(tag);
    if (issue) issues.push(invalid("content", ["tags", index], issue));
  }
}

function checkHeaders(headers: [string, string][], issues: Issue[]): void {
  const names = new Set<string>();
  for (const [name, value] of headers) {
    const lowerCase = name.toLowerCase();
    const issue =
      headerIssue(name, value) ?? (names.has(lowerCase) ? `${name} is given twice; letter case does not count` : null);
    names.add(lowerCase);
    if (issue) issues.push(invalid("content", ["headers", name], issue));
  }
  const size = headers.reduce((sum, [name, value]) => sum + name.length + utf8Length(value), 0);
  if (headers.length > limits.customHeaders) {
    const error = `The email has ${headers.length} custom headers; the limit is ${limits.customHeaders}`;
    issues.push(invalid("content", ["headers"], error, "too_long"));
  } else if (size > limits.customHeaderBytes) {
    const error = `The custom headers are ${size} bytes; the limit is ${limits.customHeaderBytes}`;
    issues.push(invalid("content", ["headers"], error, "too_long"));
  }
}
