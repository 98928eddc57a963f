import { foldCase } from "../../lib/addresses.ts";
import type { Ctx } from "../../platform/context.ts";
import { onShard } from "../../platform/jobs/shards.ts";
import type { ForwardPlan } from "../forwards/index.ts";
import type { NewMessage } from "../mailbox-store/index.ts";
import type { RecipientMailbox } from "./recipients.ts";

const INSERT = `
  INSERT OR IGNORE INTO inbound_emails (workspace, id, mailbox_id, domain_id, message_id, from_address, from_name, recipient,
    subject, text_preview, attachment_count, authentication, events, received_at, folded)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) RETURNING id`;

const FIND_RECIPIENT = "SELECT recipient FROM inbound_emails WHERE workspace = ?1 AND id = ?2";

// The entry is written in the same transaction, so a repeated delivery adds no row, also when those of the first one are done.
const INSERT_FORWARDS = `
  INSERT OR IGNORE INTO outbox (due_at, id, kind, ref)
  SELECT ?3, j.value->>'id', 'forward', j.value->'forward' FROM json_each(?4) j
   WHERE NOT EXISTS (SELECT 1 FROM inbound_emails WHERE workspace = ?1 AND id = ?2)`;

/**
 * Writes an entry of the inbound log and the outbox rows of its forwards. Writes nothing when there is an entry with this id, and
 * returns the recipient that it names; otherwise null. Throws when they could not be written.
 */
export async function logDelivery(
  ctx: Ctx,
  mailbox: RecipientMailbox,
  { id, recipient, message, plan }: { id: string; recipient: string; message: NewMessage; plan: ForwardPlan },
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
      mailbox.workspace,
      id,
      mailbox.id,
      mailbox.domain_id,
      message.messageId,
      message.from?.email ?? "",
      message.from?.name ?? null,
      recipient,
      message.subject,
      message.preview,
      message.parts.filter(({ use }) => use === "attachment").length,
      message.authentication ?? "{}",
      JSON.stringify(events),
      at,
      foldedOf(message),
    );
  const forwards = db.prepare(INSERT_FORWARDS).bind(mailbox.workspace, id, now, JSON.stringify(plan.rows));
  const results = await db.batch(plan.rows.length === 0 ? [entry] : [forwards, entry]);
  if (results.at(-1)?.results.length === 0) {
    const known = db.prepare(FIND_RECIPIENT).bind(mailbox.workspace, id);
    return (await known.first<{ recipient: string }>())?.recipient ?? null;
  }
  if (plan.rows.length > 0) await mailCtx.wake(plan.rows.map((row) => ({ dueAt: now, id: row.id, kind: "forward" })));
  return null;
}

/** Returns the texts that a search compares without case, or null when SQLite folds all of their letters. */
function foldedOf({ from, subject }: NewMessage): string | null {
  const texts = { address: from?.email ?? "", name: from?.name ?? "", subject };
  if (Object.values(texts).every((text) => /^[\0-\u007f]*$/.test(text))) return null;
  return JSON.stringify({
    address: foldCase(texts.address),
    name: foldCase(texts.name),
    subject: foldCase(texts.subject),
  });
}
