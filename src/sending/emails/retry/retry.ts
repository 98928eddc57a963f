import type { CallerCtx } from "../../../access/caller.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import { conflict } from "../../../lib/errors.ts";
import type { RawContent } from "../../../mail/raw/compose.ts";
import type { MailStatement } from "../../../platform/context.ts";
import { requireEmailSpace } from "../../../platform/jobs/shard-sizes.ts";
import { type ContentDocument, ContentUpload, contentPlace, putDocument, readContent } from "../content/index.ts";
import { type DetailRow, getEmail } from "../queries.ts";
import type { AcceptOut } from "../schema.ts";
import {
  commitEmails,
  type Envelope,
  type NewEmail,
  type ParsedRequest,
  requireSendable,
  requireSendingAllowed,
  toAccepted,
  toNewEmail,
} from "../send/index.ts";
import { ERASED, type EventEntry, RECIPIENT_KEY_SQL, type RecipientEntry, recipientKey } from "../timeline/index.ts";

const RETRIED = ["bounced", "rejected", "failed"];
/** Reason in the event of a recipient that a retry drops. */
const REPEATED_BOUNCES = "the last three retries bounced";

/**
 * Sends an email again as a new email, to those recipients that bounced, were rejected or failed
 * (docs/contract/emails.md#retry). The content and its attachments are copied. The original does not change. Throws 404; 409
 * when the email did not bounce, fail or get rejected, its content was deleted, or a person sent it from a mailbox that was
 * deleted; 403 and 422 as a send does; ConcurrencyError when another call with the same Idempotency-Key committed first.
 */
export async function retryEmail(ctx: CallerCtx, id: string): Promise<AcceptOut> {
  requireSendingAllowed(ctx, null);
  requireEmailSpace(ctx);
  const row = await getEmail(ctx, id);
  if (!RETRIED.includes(row.status))
    throw conflict(`Only an email that bounced, was rejected or failed can be retried; this one is ${row.status}`);
  if (recipientsToRetry(row).length === 0) throw conflict("The recipients of this email were erased");
  const content = await readContent(ctx, ctx.workspace.id, row);
  if (!content) throw conflict("The content of this email is no longer kept");
  const sendable = await requireSendable(ctx, toRequest(row), { source: row.source, isRetry: true });
  // A new mailbox with the address of a deleted one has other readers.
  if (row.source === "inbox" && row.mailboxId !== sendable.sender.mailboxId)
    throw conflict("The mailbox that sent this email was deleted");
  const recipients = sendable.email.recipients.map(({ key }) => key);
  const repeated = await findRepeatedBounces(ctx, recipients);
  const suppressed = new Map([...repeated.map((key) => [key, REPEATED_BOUNCES] as const), ...sendable.suppressed]);
  const upload = new ContentUpload(ctx);
  const attachments = await copyAttachments(ctx, upload, contentPlace(ctx.workspace.id, row).key, content.attachments);
  const raw = content.raw && (await copyRawBody(ctx, upload, contentPlace(ctx.workspace.id, row).key, content.raw));
  const visible = content.visible ?? visibleRecipients(row);
  const stored = await putDocument(upload, { ...content, attachments, ...(raw ? { raw } : { visible }) });
  const copy = toNewEmail(ctx, upload.id, { ...sendable, suppressed }, stored, row.source);
  // A submitted message has its Message-ID in the header section, which a retry keeps.
  const retry = toRetry(ctx, row, raw ? { ...copy, messageId: row.messageId } : copy);
  const response = toAccepted(retry);
  const mailed = recipients.filter((key) => !suppressed.has(key));
  const extra = [recordRetryStatement(ctx, retry.id, mailed)];
  await commitEmails(ctx, [retry], { response, contentKey: stored.key, extra });
  return response;
}

/** Adds to a new email what makes it a retry of the row: its event, the reference, and the reason of a rejection. */
function toRetry(ctx: CallerCtx, row: DetailRow, email: NewEmail): NewEmail {
  const metadata = { retry_of_id: row.id };
  const retried: EventEntry = { id: ctx.newId(), type: "retried", at: email.createdAt, metadata };
  const hasRepeated = email.events.some((event) => event.metadata?.reason === REPEATED_BOUNCES);
  return {
    ...email,
    events: [retried, ...email.events],
    retryOfId: row.id,
    rejectionReason:
      email.rejectionReason && hasRepeated
        ? "Every recipient is on the suppression list, or its last three retries bounced"
        : email.rejectionReason,
  };
}

/** Returns the To and Cc headers of an email, which a retry keeps. */
function visibleRecipients({ recipients }: DetailRow): ContentDocument["visible"] {
  const ofKind = (kind: RecipientEntry["kind"]) =>
    recipients.filter((entry) => entry.kind === kind).map(({ email, name }) => ({ email, name: name ?? null }));
  return { to: ofKind("to"), cc: ofKind("cc") };
}

/** Returns the request that retries a stored email. Its fields were checked when the original was accepted. */
function toRequest(row: DetailRow): ParsedRequest<Envelope> {
  const from = { email: row.fromEmail, key: parseAddress(row.fromEmail)?.key ?? row.fromEmail, name: row.fromName };
  const recipients = recipientsToRetry(row).map((entry) => ({
    kind: entry.kind,
    email: entry.email,
    key: recipientKey(entry),
    name: entry.name ?? null,
    ...(entry.unsubscribe ? { unsubscribe: entry.unsubscribe } : {}),
  }));
  return {
    email: { from, recipients, subject: row.subject, tags: row.tags, sendAt: null },
    from,
    recipients,
    ...(row.topic === null ? {} : { topic: row.topic }),
    issues: [],
  };
}

/** Returns the recipients whose outcome allows a retry; all of them when every recipient was suppressed; never one that was erased. */
function recipientsToRetry({ recipients }: DetailRow): RecipientEntry[] {
  const entries = recipients.filter(({ email }) => email !== ERASED);
  const failed = entries.filter(({ state }) => RETRIED.includes(state));
  return failed.length > 0 ? failed : entries;
}

type Attachments = ContentDocument["attachments"];

/**
 * Copies attachments from the R2 object `key` to the upload, with at most one part in memory. Returns them with their
 * new offsets. Throws 409 when the object was deleted meanwhile; the upload is aborted then.
 */
async function copyAttachments(
  ctx: CallerCtx,
  upload: ContentUpload,
  key: string,
  attachments: Attachments,
): Promise<Attachments> {
  const copied: Attachments = [];
  try {
    for (const file of attachments) {
      copied.push({ ...file, at: await upload.storeStream(await openRange(ctx, key, file)) });
    }
  } catch (error) {
    await upload.abort();
    throw error;
  }
  return copied;
}

/** Copies the body of a submitted message to the upload when it is in the R2 object `key`. Throws as `copyAttachments` does. */
async function copyRawBody(ctx: CallerCtx, upload: ContentUpload, key: string, raw: RawContent): Promise<RawContent> {
  if (typeof raw.body === "string") return raw;
  const { size } = raw.body;
  try {
    return { ...raw, body: { at: await upload.storeStream(await openRange(ctx, key, raw.body)), size } };
  } catch (error) {
    await upload.abort();
    throw error;
  }
}

async function openRange(
  ctx: CallerCtx,
  key: string,
  { at: offset, size }: { at: number; size: number },
): Promise<AsyncIterable<Uint8Array>> {
  // R2 refuses a range of no bytes.
  if (size === 0) return new Blob([]).stream();
  const object = await ctx.env.CONTENT.get(key, { range: { offset, length: size } });
  if (!object) throw conflict("The content of this email is no longer kept");
  return object.body;
}

// Each address reads at most three emails, by their unique index.
const FIND_REPEATED = `
  SELECT r.email FROM retried_addresses r
    CROSS JOIN emails e ON e.workspace = r.workspace AND e.id IN (r.newest, r.second, r.third)
    CROSS JOIN json_each(e.recipients) p
   WHERE r.workspace = ?1 AND r.email IN (SELECT value FROM json_each(?2))
     AND p.value->>'state' = 'bounced' AND ${RECIPIENT_KEY_SQL} = r.email
   GROUP BY r.email HAVING count(*) = 3`;

const RECORD_RETRY = `
  INSERT INTO retried_addresses (workspace, email, newest) SELECT ?1, value, ?3 FROM json_each(?2) WHERE true
  ON CONFLICT DO UPDATE SET newest = excluded.newest, second = newest, third = second`;

/** Returns those of some canonical addresses whose last three retries bounced (docs/contract/emails.md#retry). */
async function findRepeatedBounces(ctx: CallerCtx, keys: readonly string[]): Promise<string[]> {
  const results = await ctx.mail.listRows<{ email: string }>(FIND_REPEATED, ctx.workspace.number, JSON.stringify(keys));
  return results.map(({ email }) => email);
}

/** Returns the statement that records a retry to some canonical addresses, for the batch that inserts the email. */
function recordRetryStatement(ctx: CallerCtx, id: string, keys: readonly string[]): MailStatement {
  return ctx.mail.prepare(RECORD_RETRY).bind(ctx.workspace.number, JSON.stringify(keys), id);
}
