import { utf8Length } from "../../lib/bytes.ts";
import { timeOfId } from "../../lib/ids.ts";
import { LiquidTextError } from "../../lib/liquid/text.ts";
import type { Rendering } from "../../lib/personal-text.ts";
import type { Values } from "../../lib/placeholders.ts";
import { cleanName, misleadingNameIssue, nameIssue } from "../../lib/text-rules.ts";
import type { MailCtx } from "../../platform/context.ts";
import { type NewEmail, queuedEvent, SUBJECT_ISSUE, storedKey } from "../../sending/emails/index.ts";
import type { ContactValues } from "../contacts/index.ts";
import type { StoredContent } from "./contents.ts";
import type { Sender } from "./fan-out.ts";
import type { BroadcastRow } from "./queries.ts";
import { limits } from "./rules.ts";

/** A contact of a page. Of its metadata it has what the content names. */
export interface PageContact extends ContactValues {
  n: number;
  id: string;
}

/** The value of an email that is the address of the web version of its broadcast. */
export const WEB_VERSION_URL = "web_version_url";

/** Longest subject before it is cut to its limit: a value may have 64 KiB. */
const MAX_RENDERED_SUBJECT = 1_000_000;

/** Returns the email of a contact. Its row has the rendered subject and the values of the placeholders in its content. */
export function toEmail(
  ctx: MailCtx,
  {
    row,
    sender,
    topic,
    contact,
    content,
    now,
    dueAt = now,
    outboxId,
    id = ctx.newId(),
    recipient = contact,
  }: {
    row: Pick<BroadcastRow, "n" | "user_id" | "bulk_tags" | "automation"> &
      Partial<Pick<BroadcastRow, "web_version_url">>;
    sender: Sender;
    /** Number of its topic; null: none. */
    topic: number | null;
    contact: PageContact;
    content: StoredContent;
    /** Milliseconds since 1970. */
    now: number;
    /** When it leaves. Default: `now`. */
    dueAt?: number;
    outboxId: string | null;
    /** A new one unless given. */
    id?: string;
    /** Who gets it in place of the contact: a test. */
    recipient?: Pick<PageContact, "email" | "key" | "name">;
  },
): NewEmail {
  const own: Values = { ...valuesOf(contact), [WEB_VERSION_URL]: row.web_version_url ?? "" };
  const names = content.names.filter((known) => Object.hasOwn(own, known));
  const values: Values = Object.fromEntries(names.map((known) => [known, own[known]]));
  const { subject, issue } = renderSubject(content, { values, now: timeOfId(id), budget: ctx.limits });
  const name = displayName(recipient);
  return {
    id,
    status: "queued",
    source: row.automation !== null ? "automation" : row.bulk_tags === null ? "broadcast" : "bulk",
    domainId: sender.domainId,
    mailboxId: sender.mailboxId,
    userId: row.user_id,
    fromEmail: sender.email,
    fromName: sender.name,
    messageId: `<${id}@${sender.domain}>`,
    subject,
    recipients: [
      {
        kind: "to",
        email: recipient.email,
        ...(name ? { name } : {}),
        ...storedKey(recipient.email, recipient.key),
        state: "queued",
      },
    ],
    tags: tagsOf(row.bulk_tags),
    events: [queuedEvent({ id, createdAt: now })],
    contentKey: content.contentKey,
    contentOffset: 0,
    contentSize: content.contentSize,
    dueAt,
    outboxId,
    scheduledAt: dueAt > now ? dueAt : null,
    createdAt: now,
    rejectionReason: null,
    retryOfId: null,
    content: null,
    topic,
    personal: {
      broadcast: row.n === 0 ? null : row.n,
      variant: row.n === 0 ? null : content.variant,
      contact: row.n === 0 ? null : contact.n,
      variables: JSON.stringify(issue === null ? values : { ...values, [SUBJECT_ISSUE]: issue }),
    },
  };
}

/** Returns the tags of the emails of a bulk send, or null. */
function tagsOf(bulkTags: string | null): string[] | null {
  const tags = bulkTags === null ? [] : (JSON.parse(bulkTags) as string[]);
  return tags.length > 0 ? tags : null;
}

/** Returns the values of placeholders. The contact's own `email` and `name` win over metadata (docs/contract/templates.md#placeholders). */
export function valuesOf(contact: Pick<PageContact, "email" | "name" | "metadata">): Record<string, unknown> {
  return { ...metadataOf(contact), email: contact.email, name: contact.name ?? "" };
}

/** The value of a content that is the data of an event. */
export const EVENT = "event";

/** Returns a contact whose content can name the data of an event. */
export function withEvent<Contact extends Pick<PageContact, "metadata">>(contact: Contact, data: object): Contact {
  const metadata = contact.metadata === null ? {} : (JSON.parse(contact.metadata) as Record<string, unknown>);
  return { ...contact, metadata: JSON.stringify({ ...metadata, [EVENT]: data }) };
}

/** Returns the metadata that was read of a contact, by key with and without the spaces around it. */
export function metadataOf({ metadata }: Pick<PageContact, "metadata">): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = metadata === null ? {} : JSON.parse(metadata);
  const trimmed = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key.trim(), value]));
  return { ...trimmed, ...fields };
}

/** Returns the rendered subject, cut to the bytes that a subject may have, or why it cannot be rendered: the email then fails. */
function renderSubject(
  { subject: text }: StoredContent,
  rendering: Rendering,
): { subject: string; issue: string | null } {
  try {
    return { subject: toSubject(text.render(rendering, MAX_RENDERED_SUBJECT) ?? ""), issue: null };
  } catch (error) {
    if (error instanceof LiquidTextError) return { subject: "", issue: error.message };
    throw error;
  }
}

function toSubject(rendered: string): string {
  if (utf8Length(rendered) <= limits.subjectBytes) return rendered;
  const cut = new TextEncoder().encode(rendered).subarray(0, limits.subjectBytes);
  return new TextDecoder().decode(cut).replace(/\ufffd+$/, "");
}

/** Returns the name of a contact as a display name, or null when it is not fit for one. */
function displayName({ name, key }: Pick<PageContact, "name" | "key">): string | null {
  const clean = cleanName(name ?? "");
  if (clean === "" || nameIssue(clean) !== null || misleadingNameIssue(clean, key) !== null) return null;
  return clean;
}
