import type { CallerCtx } from "../../access/caller.ts";
import { conflict } from "../../lib/errors.ts";
import { ConcurrencyError, expectChanges, guardedBatch, isUniqueViolation } from "../../platform/db/batch.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { storeMailResponse } from "../../platform/idempotency/responses.ts";
import { requireMailSpace } from "../../platform/jobs/shard-sizes.ts";
import { wakeAfterResponse } from "../../platform/outbox/wake-after-response.ts";
import { contactEventsStatements } from "../../platform/person-events/contact-events.ts";
import { wakeForEvents } from "../../platform/person-events/wake.ts";
import { type ContactMark, copyToNewContacts, findMarks } from "../../sending/suppressions/index.ts";
import { evidenceStatement, requestStatements } from "../consent/index.ts";
import { consentEvidence } from "./consent-evidence.ts";
import { type ContactRow, getList, type ListRow } from "./queries.ts";
import { type ContactIn, type ContactOut, toContact } from "./schema.ts";

// Inserts nothing when the list was deleted since it was read, or began or ceased to ask for confirmation.
const INSERT = `
  INSERT INTO contacts (workspace, list, id, email, email_key, name, metadata, suppressed, unsubscribed, soft_bounced,
    created_at, pending_since)
  SELECT ?1, n, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 FROM contact_lists
   WHERE n = ?2 AND workspace = ?1 AND confirm = ?13 AND ${hasRoom("contacts", "?1")}`;

/** A list whose `confirm` changes between the statements is read again. */
const MAX_TRIES = 5;

/** Adds a contact to a list. Throws 404 for the list, 409 when the list already has a contact with this address. */
export async function addContact(ctx: CallerCtx, listId: string, input: ContactIn): Promise<ContactOut> {
  const [list, marks] = await Promise.all([
    getList(ctx, listId),
    findMarks(ctx, ctx.workspace.number, [input.email.key]),
  ]);
  return insertContact(ctx, list, input, marks);
}

/** Inserts a contact into a list that was just read, as the state of its address was. Throws as `addContact`. */
export async function insertContact(
  ctx: CallerCtx,
  list: ListRow,
  input: ContactIn,
  marks: readonly ContactMark[],
  tries = MAX_TRIES,
): Promise<ContactOut> {
  requireMailSpace(ctx);
  const { email, name, metadata, consent } = input;
  const [mark] = marks;
  const { number } = ctx.workspace;
  const isPending = list.confirm === 1 && !consent;
  const row: ContactRow = {
    id: ctx.newId(),
    email: email.address,
    name: name ?? null,
    metadata: metadata ? JSON.stringify(metadata) : null,
    suppressed: mark?.reason ?? null,
    unsubscribed: mark?.unsubscribed ?? 0,
    soft_bounced: mark?.softBounced ?? 0,
    created_at: ctx.now(),
    pending_since: isPending ? ctx.now() : null,
  };
  const response = toContact(row);
  const db = ctx.mail;
  const request = isPending ? requestStatements(ctx, list, [JSON.stringify([{ id: row.id }])]) : null;
  const added = { workspace: number, list: list.n, chunks: [JSON.stringify([{ id: row.id }])] };
  const events = contactEventsStatements(ctx, "contact.added", added);
  try {
    const results = await guardedBatch(db, [
      db
        .prepare(INSERT)
        .bind(
          ...[number, list.n, row.id, row.email, email.key, row.name, row.metadata],
          ...[row.suppressed, row.unsubscribed, row.soft_bounced, row.created_at, row.pending_since, list.confirm],
        ),
      expectChanges(db, 1),
      db.prepare("UPDATE contact_lists SET contact_count = contact_count + 1 WHERE n = ?1").bind(list.n),
      ...(consent ? [evidenceStatement(ctx, number, "always", consentEvidence(ctx, list, email.key, consent))] : []),
      ...(request?.statements ?? []),
      ...(await storeMailResponse(ctx, response)),
      ...events,
    ]);
    await wakeForEvents(ctx, results.slice(-events.length));
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict("The list already has a contact with this email address");
    if (!(error instanceof ConcurrencyError)) throw error;
    const changed = await getList(ctx, list.id);
    if (changed.confirm === list.confirm || tries === 1) throw error;
    return insertContact(ctx, changed, input, marks, tries - 1);
  }
  // The address may have been suppressed since it was read, before the contact existed to be marked.
  if (row.suppressed === null || row.unsubscribed === 0) await copyToNewContacts(ctx, number, [email.key]);
  if (request) await wakeAfterResponse(ctx, [request.wakeUp]);
  return response;
}
