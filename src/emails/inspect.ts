import { parseAddress } from "../lib/addresses.ts";
import { decodeBase64 } from "../lib/base64-stream.ts";
import { parseIso } from "../lib/time.ts";
import { headerFault, limits, octets } from "./rules.ts";
import type { MailboxIn, SendIn } from "./schema.ts";

/** One thing that keeps a request from being sent. `status` and `loc` are what a send answers with. */
export interface Issue {
  field: "account" | "from" | "to" | "content";
  status: 400 | 403 | 413 | 422;
  loc: (string | number)[];
  type: string;
  error: string;
}

export interface Person {
  email: string;
  /** Canonical form of the address. */
  key: string;
  name: string | null;
}

export interface Recipient extends Person {
  kind: "to" | "cc" | "bcc";
}

export interface AttachmentFile {
  filename: string;
  content_type: string;
  content_id: string | null;
  disposition: "attachment" | "inline";
  bytes: Uint8Array;
}

/** A request as the service understands it. Worth something only when there are no issues. */
export interface Understood {
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
export function inspect(input: SendIn, now: number): { understood: Understood; issues: Issue[] } {
  const issues: Issue[] = [];
  const understood = {
    from: person(input.from_, "from", ["from_"], issues),
    recipients: recipientsOf(input, issues),
    replyTo: input.reply_to ? person(input.reply_to, "content", ["reply_to"], issues) : null,
    sendAt: sendTime(input.send_at, now, issues),
    attachments: filesOf(input, issues),
  };
  inspectContent(input, issues);
  return { understood, issues };
}

const invalid = (field: Issue["field"], loc: Issue["loc"], error: string, type = "value_error"): Issue => ({
  field,
  status: 422,
  loc,
  type,
  error,
});

const CONTROL = /[\u0000-\u001f\u007f]/;

function person(input: MailboxIn, field: Issue["field"], loc: Issue["loc"], issues: Issue[]): Person | null {
  const address = parseAddress(input.email);
  const name = input.name || null;
  if (!address) issues.push(invalid(field, [...loc, "email"], "Not a valid email address"));
  if (name && CONTROL.test(name))
    issues.push(invalid(field, [...loc, "name"], "A name must not contain control characters"));
  if (name && octets(name) > limits.nameOctets) {
    issues.push(invalid(field, [...loc, "name"], `A name has at most ${limits.nameOctets} octets`, "too_long"));
  }
  return address && { email: address.address, key: address.key, name };
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
  const at = typeof sendAt === "string" ? parseIso(sendAt) : null;
  const refuse = (error: string) => {
    issues.push({ field: "content", status: 400, loc: ["send_at"], type: "value_error", error });
    return null;
  };
  if (at === null) return refuse("send_at must be an ISO 8601 time with an offset, such as 2026-01-31T09:00:00Z");
  if (at < now + limits.scheduleMinMs || at > now + limits.scheduleMaxMs) {
    return refuse("send_at must be between 1 minute and 30 days in the future");
  }
  return at;
}

function filesOf(input: SendIn, issues: Issue[]): AttachmentFile[] {
  const files: AttachmentFile[] = [];
  let total = 0;
  for (const [index, entry] of (input.attachments ?? []).entries()) {
    const loc = ["attachments", index];
    const bytes = decodeBase64(entry.content_base64);
    if (/[/\\\0]/.test(entry.filename) || CONTROL.test(entry.filename)) {
      issues.push(invalid("content", [...loc, "filename"], "A filename must not contain /, \\ or control characters"));
    }
    if (octets(entry.filename) > limits.filenameOctets) {
      issues.push(
        invalid("content", [...loc, "filename"], `A filename has at most ${limits.filenameOctets} octets`, "too_long"),
      );
    }
    if (!bytes) {
      const error = `Attachment ${index} is not valid base64 (standard alphabet, no data: prefix)`;
      issues.push({ field: "content", status: 400, loc: [...loc, "content_base64"], type: "base64", error });
      continue;
    }
    total += bytes.byteLength;
    files.push({
      filename: entry.filename,
      content_type: entry.content_type,
      content_id: entry.content_id ?? null,
      disposition: entry.disposition ?? (entry.content_id ? "inline" : "attachment"),
      bytes,
    });
  }
  if (total > limits.attachmentBytes) {
    issues.push({
      field: "content",
      status: 413,
      loc: ["attachments"],
      type: "too_large",
      error: "Attachments exceed 24 MiB",
    });
  }
  if (files.length > limits.attachments) {
    issues.push(
      invalid("content", ["attachments"], `An email has at most ${limits.attachments} attachments`, "too_long"),
    );
  }
  return files;
}

function inspectContent(input: SendIn, issues: Issue[]): void {
  if (!input.html && !input.text) {
    issues.push(invalid("content", ["html"], "At least one of html or text is required", "missing"));
  }
  if (CONTROL.test(input.subject)) {
    issues.push(invalid("content", ["subject"], "A subject must not contain CR, LF or other control characters"));
  }
  if (octets(input.subject) > limits.lineOctets) {
    issues.push(invalid("content", ["subject"], `A subject has at most ${limits.lineOctets} octets`, "too_long"));
  }
  inspectHeaders(Object.entries(input.headers ?? {}), issues);
  const tags = input.tags ?? [];
  if (tags.length > limits.tags)
    issues.push(invalid("content", ["tags"], `An email has at most ${limits.tags} tags`, "too_long"));
  for (const [index, tag] of tags.entries()) {
    if (tag.length === 0 || tag.length > limits.tagCharacters || CONTROL.test(tag)) {
      issues.push(invalid("content", ["tags", index], `A tag has 1 to ${limits.tagCharacters} characters`));
    }
  }
}

function inspectHeaders(headers: [string, string][], issues: Issue[]): void {
  for (const [name, value] of headers) {
    const fault = headerFault(name, value);
    if (fault) issues.push(invalid("content", ["headers", name], fault));
  }
  const size = headers.reduce((sum, [name, value]) => sum + name.length + octets(value), 0);
  if (headers.length > limits.customHeaders || size > limits.customHeaderOctets) {
    const error = `An email has at most ${limits.customHeaders} custom headers and 16 KiB of them`;
    issues.push(invalid("content", ["headers"], error, "too_long"));
  }
}
