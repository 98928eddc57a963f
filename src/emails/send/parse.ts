import { parseAddress } from "../../lib/addresses.ts";
import { utf8Length } from "../../lib/bytes.ts";
import { nameFault } from "../../lib/text-rules.ts";
import { limits } from "../rules.ts";
import type { MailboxIn, SendIn } from "../schema.ts";
import { headerFault, subjectFault, tagFault } from "./field-rules.ts";
import { type Issue, invalid } from "./issues.ts";
import { type AttachmentFile, filesOf } from "./parse-attachments.ts";
import { readSendAt } from "./send-at.ts";

export interface Person {
  email: string;
  /** Canonical form of the address. */
  key: string;
  name: string | null;
}

export interface Recipient extends Person {
  kind: "to" | "cc" | "bcc";
}

/** A request as the service understands it. Worth something only when there are no issues. */
export interface ParsedEmail {
  from: Person | null;
  recipients: Recipient[];
  replyTo: Person | null;
  sendAt: number | null;
  attachments: AttachmentFile[];
}

/**
 * Reads one send request, `now` in milliseconds: what it means, and every issue that can be seen without
 * looking anything up (specification: Email send request; decisions 1 and 4).
 */
export function parse(input: SendIn, now: number): { parsed: ParsedEmail; issues: Issue[] } {
  const issues: Issue[] = [];
  const parsed = {
    from: person(input.from_, "from", ["from_"], issues),
    recipients: recipientsOf(input, issues),
    replyTo: input.reply_to ? person(input.reply_to, "content", ["reply_to"], issues) : null,
    sendAt: sendTime(input.send_at, now, issues),
    attachments: filesOf(input, issues),
  };
  inspectContent(input, issues);
  return { parsed, issues };
}

function person(input: MailboxIn, field: Issue["field"], loc: Issue["loc"], issues: Issue[]): Person | null {
  const address = parseAddress(input.email);
  const fault = nameFault(input.name ?? "");
  if (!address) issues.push(invalid(field, [...loc, "email"], "Not a valid email address"));
  if (fault) issues.push(invalid(field, [...loc, "name"], fault));
  // The display form has no place for white space around a name, so none is kept.
  return address && { email: address.address, key: address.key, name: input.name?.trim() || null };
}

/** All recipients, each address once: the first of to, cc, bcc keeps it. */
function recipientsOf(input: SendIn, issues: Issue[]): Recipient[] {
  const unique = new Map<string, Recipient>();
  for (const kind of ["to", "cc", "bcc"] as const) {
    for (const [index, entry] of (input[kind] ?? []).entries()) {
      const found = person(entry, "to", [kind, index], issues);
      if (found && !unique.has(found.key)) unique.set(found.key, { ...found, kind });
    }
  }
  if (input.to.length === 0) issues.push(invalid("to", ["to"], "At least one recipient is required", "too_short"));
  if (unique.size > limits.recipients) {
    issues.push(invalid("to", ["to"], `An email has at most ${limits.recipients} recipients`, "too_long"));
  }
  return [...unique.values()];
}

function sendTime(sendAt: unknown, now: number, issues: Issue[]): number | null {
  if (sendAt === undefined || sendAt === null) return null;
  const read = readSendAt(sendAt, now);
  if ("at" in read) return read.at;
  issues.push({ field: "content", status: 400, loc: ["send_at"], type: "value_error", error: read.error });
  return null;
}

function inspectContent(input: SendIn, issues: Issue[]): void {
  if (!input.html && !input.text) {
    issues.push(invalid("content", ["html"], "At least one of html or text is required", "missing"));
  }
  const fault = subjectFault(input.subject);
  if (fault) issues.push(invalid("content", ["subject"], fault));
  inspectHeaders(Object.entries(input.headers ?? {}), issues);
  inspectTags(input.tags ?? [], issues);
}

function inspectTags(tags: readonly string[], issues: Issue[]): void {
  if (tags.length > limits.tags)
    issues.push(invalid("content", ["tags"], `An email has at most ${limits.tags} tags`, "too_long"));
  for (const [index, tag] of tags.entries()) {
    const fault = tagFault(tag);
    if (fault) issues.push(invalid("content", ["tags", index], fault));
  }
}

function inspectHeaders(headers: [string, string][], issues: Issue[]): void {
  for (const [name, value] of headers) {
    const fault = headerFault(name, value);
    if (fault) issues.push(invalid("content", ["headers", name], fault));
  }
  const size = headers.reduce((sum, [name, value]) => sum + name.length + utf8Length(value), 0);
  if (headers.length > limits.customHeaders || size > limits.customHeaderOctets) {
    const error = `An email has at most ${limits.customHeaders} custom headers and 16 KiB of them`;
    issues.push(invalid("content", ["headers"], error, "too_long"));
  }
}
