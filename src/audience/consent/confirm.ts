import type { Ctx, MailCtx } from "../../platform/context.ts";
import { onShardOf } from "../../platform/jobs/shards.ts";
import { contactEventsStatements } from "../../platform/person-events/contact-events.ts";
import { wakeForEvents } from "../../platform/person-events/wake.ts";
import { copyToContacts, endUnsubscribeStatements } from "../../sending/suppressions/index.ts";
import { allTopicsEvents, wakeForTopicEvents } from "../../sending/topics/index.ts";
import { evidenceStatement } from "./evidence.ts";
import { type ConfirmationLink, readConfirmationToken, shortHash } from "./tokens.ts";
import type { MailWords } from "./words.ts";

/** Where a request comes from. */
export interface RequestSource {
  ip: string | null;
  userAgent: string | null;
}

/** The contact and the words of a link. `expired`: it worked until its end. */
export type LinkState =
  | { state: "invalid" }
  | {
      state: "pending" | "confirmed" | "expired";
      words: MailWords;
      ctx: MailCtx;
      contact: LinkedContact;
      link: ConfirmationLink;
    };

interface LinkedContact {
  email: string;
  emailKey: string;
  listId: string;
  listName: string;
}

const FIND = `
  SELECT c.email, c.email_key AS emailKey, c.pending_since AS pendingSince, l.id AS listId, l.name AS listName, w.words
    FROM contact_lists l CROSS JOIN contacts c ON c.list = l.n AND c.id = ?3
    JOIN consent_words w ON w.workspace = l.workspace AND w.version = ?4
   WHERE l.n = ?2 AND l.workspace = ?1`;

/** Returns what a link is about, and changes nothing. A contact that was deleted, or has another address, has no link. */
export async function readLink(ctx: Ctx, token: string): Promise<LinkState> {
  const link = await readConfirmationToken(ctx.settings.masterKeys, token);
  if (!link) return { state: "invalid" };
  const mailCtx = await onShardOf(ctx, link.workspace);
  if (!mailCtx) return { state: "invalid" };
  const values = [link.workspace, link.list, link.contactId, link.words];
  type Found = LinkedContact & { pendingSince: number | null; words: string };
  const row = await mailCtx.mail.findRow<Found>(FIND, ...values);
  if (!row || (await shortHash(row.emailKey)) !== link.address) return { state: "invalid" };
  const found = { words: JSON.parse(row.words) as MailWords, ctx: mailCtx, contact: row, link };
  if (row.pendingSince === null) return { state: "confirmed", ...found };
  return { state: link.expiresAt <= ctx.now() ? "expired" : "pending", ...found };
}

const CONFIRM = `
  UPDATE contacts SET pending_since = NULL
   WHERE list = (SELECT n FROM contact_lists WHERE n = ?1) AND id = ?2 AND email_key = ?3 AND pending_since IS NOT NULL`;

/**
 * Confirms the contact of a link, keeps the evidence of it, and ends an unsubscribe of the person. Repeating it changes nothing. Returns the
 * state of the link afterwards.
 */
export async function confirmLink(ctx: Ctx, token: string, { ip, userAgent }: RequestSource): Promise<LinkState> {
  const found = await readLink(ctx, token);
  if (found.state !== "pending") return found;
  const { contact, link } = found;
  const db = found.ctx.mail;
  // Before the confirmation, so that a repetition after a crash does both.
  await rejoin(found.ctx, { workspace: link.workspace, email: contact.emailKey });
  const events = confirmationEvents(found.ctx, link, contact.emailKey);
  const results = await db.batch([
    ...events,
    db.prepare(CONFIRM).bind(link.list, link.contactId, contact.emailKey),
    evidenceStatement(found.ctx, link.workspace, "changed", {
      id: ctx.newId(),
      kind: "confirmed",
      emailKey: contact.emailKey,
      at: ctx.now(),
      listId: contact.listId,
      listName: contact.listName,
      ip,
      userAgent,
      words: link.words,
      source: null,
      userId: null,
    }),
    db
      .prepare("UPDATE confirmations SET requested_at = NULL WHERE workspace = ?1 AND email_key = ?2 AND list = ?3")
      .bind(link.workspace, contact.emailKey, link.list),
  ]);
  await wakeForEvents(found.ctx, results.slice(0, events.length));
  return { ...found, state: "confirmed" };
}

/** Ends an unsubscribe of a person from all bulk mail. An entry with another reason stays. */
async function rejoin(ctx: MailCtx, person: { workspace: number; email: string }): Promise<void> {
  const events = allTopicsEvents(ctx, person, "subscribed");
  const [recorded, ...ended] = await ctx.db.batch([events.statement, ...endUnsubscribeStatements(ctx, person)]);
  if (ended.every(({ meta }) => meta.changes === 0)) return;
  await wakeForTopicEvents(ctx, events, recorded);
  await copyToContacts(ctx, person.workspace, [person.email]);
}

/** Returns the statements that record a confirmation, by which the contact is added, for the place before it: they look for the pending contact. */
function confirmationEvents(ctx: MailCtx, { workspace, list, contactId }: ConfirmationLink, key: string) {
  return (["contact.confirmed", "contact.added"] as const).flatMap((name) => {
    const chunks = [JSON.stringify([{ id: contactId, event: ctx.newId(), key }])];
    return contactEventsStatements(ctx, name, { workspace, list, chunks }, "pending");
  });
}
