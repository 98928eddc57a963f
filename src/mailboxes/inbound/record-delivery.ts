import { addressKey, foldCase } from "../../lib/addresses.ts";
import { utf8 } from "../../lib/bytes.ts";
import { uuidFromHash } from "../../lib/ids.ts";
import { iso } from "../../lib/time.ts";
import type { CheckedAuthentication } from "../../mail/authentication-results/stored-results.ts";
import type { ParsedMessage } from "../../mail/messages/parse.ts";
import type { Ctx } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";
import { onShard } from "../../platform/jobs/shards.ts";
import { recordReceivedStatements } from "../../platform/webhook-events/record.ts";
import { wakeForResults } from "../../platform/webhook-events/wake.ts";
import { mayReply } from "../auto-replies/index.ts";
import { type ForwardPlan, planForwards } from "../forwards/index.ts";
import type { FilterOutcome, NewMessage } from "../mailbox-store/index.ts";
import type { RecipientMailbox } from "./recipients.ts";

/** A message that the mailbox has, and the delivery that brought it. */
interface Delivery {
  /** Envelope sender and recipient. */
  from: string;
  to: string;
  authentication: CheckedAuthentication | null;
  parsed: ParsedMessage;
  /** Its record in the mailbox, also when an earlier delivery stored it. */
  message: NewMessage;
  threadId: string | null;
  /** The forwards that the filters of the mailbox decided when the message was stored. */
  forwards: FilterOutcome["forwards"];
}

/**
 * Writes the inbound log entry of a delivery, whose id is that of the object, and the outbox rows of its forwards. A message that
 * is stored once for several addresses of a mailbox has an entry for each: the further ones are forwarded by the rules that only
 * their address meets. A repeated delivery adds nothing. Two calls to the mail database at most beyond those of the first address.
 */
export async function recordDelivery(ctx: Ctx, mailbox: RecipientMailbox, delivery: Delivery): Promise<void> {
  const { to, message, threadId } = delivery;
  const id = message.object.slice(r2Keys.mailbox(mailbox.id).length, -".eml".length);
  const first = await planOf(ctx, mailbox, delivery, { id, earlier: null });
  const earlier = await logDelivery(ctx, mailbox, { id, recipient: to, message, threadId, plan: first });
  if (earlier === null || addressKey(earlier) === addressKey(to)) return;
  const furtherId = await uuidFromHash(utf8(`${id} ${addressKey(to)}`));
  const plan = await planOf(ctx, mailbox, delivery, { id: furtherId, earlier });
  await logDelivery(ctx, mailbox, { id: furtherId, recipient: to, message, threadId, plan });
}

/** Returns the forwards of a stored message. Spam has none (docs/contract/inbound.md#spam). `earlier`: the address of its first entry. */
async function planOf(
  ctx: Ctx,
  mailbox: RecipientMailbox,
  { from, to, authentication, parsed, message, forwards }: Delivery,
  { id, earlier }: { id: string; earlier: string | null },
): Promise<ForwardPlan> {
  // Filters run once for a message, whatever the number of its recipients here.
  const filtered = earlier === null ? forwards : [];
  if (message.folder === "Spam" || (mailbox.has_rules === 0 && mailbox.has_auto_reply === 0 && filtered.length === 0))
    return { rows: [], events: [] };
  const { fields, subject } = parsed;
  const addressed = [...parsed.to, ...parsed.cc].map(({ email }) => email);
  return planForwards(ctx, mailbox, {
    id,
    from: parsed.from?.email ?? null,
    recipients: [to, ...addressed],
    earlierRecipients: earlier === null ? null : [earlier, ...addressed],
    subject,
    object: message.object,
    envelopeFrom: from,
    fields,
    receivedAt: message.receivedAt,
    authentication,
    filtered,
    // A message that a filter has discarded is not answered.
    mayReply:
      earlier === null &&
      message.folder !== "Trash" &&
      addressKey(from) !== mailbox.address &&
      mayReply({ from, fields, subject, addressed, mailbox: mailbox.received_as, authentication }),
  });
}

const INSERT = `
  INSERT OR IGNORE INTO inbound_emails (workspace, id, mailbox_id, domain_id, message_id, from_address, from_name, recipient,
    subject, text_preview, attachment_count, authentication, events, received_at, folded)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) RETURNING id`;

const FIND_RECIPIENT = "SELECT recipient FROM inbound_emails WHERE workspace = ?1 AND id = ?2";

// The entry is written in the same transaction, so a repeated delivery adds no row, also when those of the first one are done.
const INSERT_FORWARDS = `
  INSERT OR IGNORE INTO outbox (due_at, id, kind, ref, workspace)
  SELECT ?3, j.value->>'id', 'forward', j.value->'forward', ?1 FROM json_each(?4) j
   WHERE NOT EXISTS (SELECT 1 FROM inbound_emails WHERE workspace = ?1 AND id = ?2)`;

type LoggedDelivery = Pick<Delivery, "message" | "threadId"> & { id: string; recipient: string; plan: ForwardPlan };

/**
 * Writes an entry of the inbound log, its webhook events and the outbox rows of its forwards. Writes nothing when there is an
 * entry with this id, and returns the recipient that it names; otherwise null. Throws when they could not be written.
 */
async function logDelivery(
  ctx: Ctx,
  mailbox: RecipientMailbox,
  { id, recipient, message, threadId, plan }: LoggedDelivery,
): Promise<string | null> {
  const mailCtx = onShard(ctx, mailbox.shard);
  const now = ctx.now();
  const at = message.receivedAt;
  const stored = { event: "stored", mailbox_id: mailbox.id, folder: message.folder, at };
  const events = [stored, ...plan.events.map((event) => ({ ...event, at }))];
  const db = mailCtx.mail;
  const entry = db
    .prepare(INSERT)
    .bind(
      ...[mailbox.workspace, id, mailbox.id, mailbox.domain_id, message.messageId],
      ...[message.from?.email ?? "", message.from?.name ?? null, recipient, message.subject, message.preview],
      ...[countAttachments(message), message.authentication ?? "{}"],
      ...[JSON.stringify(events), at, foldedOf(message)],
    );
  const forwards = db.prepare(INSERT_FORWARDS).bind(mailbox.workspace, id, now, JSON.stringify(plan.rows));
  const webhooks = recordReceivedStatements(mailCtx, {
    workspace: mailbox.workspace,
    email: id,
    recipient,
    timestamp: iso(at),
    metadata: metadataOf(mailbox, message, threadId),
  });
  const results = await db.batch([...webhooks, ...(plan.rows.length === 0 ? [] : [forwards]), entry]);
  await wakeForResults(mailCtx, results.slice(0, webhooks.length));
  if (results.at(-1)?.results.length === 0) return db.findValue<string>(FIND_RECIPIENT, mailbox.workspace, id);
  if (plan.rows.length > 0) await mailCtx.wake(plan.rows.map((row) => ({ dueAt: now, id: row.id, kind: "forward" })));
  return null;
}

/** Returns the metadata of `email.received` (docs/contract/webhooks.md#received-mail): no text of the message. */
const metadataOf = (mailbox: RecipientMailbox, message: NewMessage, threadId: string | null) => ({
  mailbox_id: mailbox.id,
  mailbox: mailbox.address,
  folder: message.folder,
  thread_id: threadId,
  from: message.from?.email ?? "",
  from_name: message.from?.name ?? null,
  subject: message.subject,
  message_id: message.messageId?.slice(0, 998) ?? null,
  size: message.size,
  attachment_count: countAttachments(message),
});

const countAttachments = ({ parts }: NewMessage) => parts.filter(({ use }) => use === "attachment").length;

/** Returns the texts that a search compares without case, or null when SQLite folds all of their letters. */
function foldedOf({ from, subject }: NewMessage): string | null {
  const texts = { address: from?.email ?? "", name: from?.name ?? "", subject };
  if (Object.values(texts).every((text) => /^[\0-\u007f]*$/.test(text))) return null;
  return JSON.stringify(Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, foldCase(text)])));
}
