import { utf8Length } from "../../lib/bytes.ts";
import { timeOfId } from "../../lib/ids.ts";
import { LiquidTextError } from "../../lib/liquid/text.ts";
import type { Rendering } from "../../lib/personal-text.ts";
import type { Values } from "../../lib/placeholders.ts";
import { cleanName, misleadingNameIssue, nameIssue } from "../../lib/text-rules.ts";
import type { MailCtx } from "../../platform/context.ts";
import { type NewEmail, queuedEvent, SUBJECT_ISSUE, storedKey } from "../../sending/emails/index.ts";
import type { StoredContent } from "./contents.ts";
import type { Sender } from "./fan-out.ts";
import type { BroadcastRow } from "./queries.ts";
import { limits } from "./rules.ts";

/** A contact of a page. */
export interface PageContact {
  n: number;
  id: string;
  email: string;
  key: string;
  name: string | null;
  /** JSON object of the metadata that the content names; null when it names none. */
  metadata: string | null;
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
    outboxId,
    id = ctx.newId(),
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
    outboxId: string | null;
    /** A new one unless given. */
    id?: string;
  },
): NewEmail {
  const values = valuesOf(contact, content.names, row.web_version_url ?? "");
  const { subject, issue } = renderSubject(content, { values, now: timeOfId(id), budget: ctx.limits });
  const name = displayName(contact);
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
        email: contact.email,
        ...(name ? { name } : {}),
        ...storedKey(contact.email, contact.key),
        state: "queued",
      },
    ],
    tags: tagsOf(row.bulk_tags),
    events: [queuedEvent({ id, createdAt: now })],
    contentKey: content.contentKey,
    contentOffset: 0,
    contentSize: content.contentSize,
    dueAt: now,
    outboxId,
    scheduledAt: null,
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

/**
 * Returns the values of the named placeholders. The contact's own `email` and `name`, and the web version, win over metadata
 * (docs/contract/templates.md#placeholders).
 */
function valuesOf({ email, name, metadata }: PageContact, names: readonly string[], webVersion: string): Values {
  const fields: Record<string, unknown> = metadata === null ? {} : JSON.parse(metadata);
  const trimmed = Object.fromEntries(Object.entries(fields).map(([key, value]) => [key.trim(), value]));
  const own: Record<string, unknown> = {
    ...trimmed,
    ...fields,
    email,
    name: name ?? "",
    [WEB_VERSION_URL]: webVersion,
  };
  return Object.fromEntries(names.filter((known) => Object.hasOwn(own, known)).map((known) => [known, own[known]]));
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
function displayName({ name, key }: PageContact): string | null {
  const clean = cleanName(name ?? "");
  if (clean === "" || nameIssue(clean) !== null || misleadingNameIssue(clean, key) !== null) return null;
  return clean;
}
