import type { CallerCtx } from "../../access/caller.ts";
import { AppError } from "../../lib/errors.ts";
import { ConcurrencyError, guardedBatch } from "../../platform/db/batch.ts";
import { wakeForEvents } from "../../platform/person-events/wake.ts";
import { findMarks } from "../../sending/suppressions/index.ts";
import { evidenceStatement } from "../consent/index.ts";
import { insertContact } from "./add-contact.ts";
import { changeEventsStatements } from "./change-events.ts";
import { consentEvidence } from "./consent-evidence.ts";
import { CONTACT_COLUMNS, type ContactRow, getListAndContact } from "./queries.ts";
import { changeParameters } from "./rules.ts";
import { type ContactIn, toContact } from "./schema.ts";

/** A contact that is deleted or changed between the statements is inserted or changed at the next try. */
const MAX_TRIES = 5;

// The join drops the contact of a list that was deleted since it was read.
const UPDATE = `
  UPDATE contacts SET name = iif(?4, ?5, name), metadata = iif(?6, ?7, metadata), pending_since = iif(?8, NULL, pending_since)
   WHERE workspace = ?1 AND email_key = ?3 AND list = (SELECT n FROM contact_lists WHERE n = ?2)
  RETURNING ${CONTACT_COLUMNS}`;

/** Adds a contact, or changes the given fields of the one with this address; null clears a field. Throws 404 for the list. */
export async function upsertContact(ctx: CallerCtx, listId: string, input: ContactIn) {
  const { number } = ctx.workspace;
  for (let tries = 1; ; tries++) {
    const { list, before } = await getListAndContact(ctx, listId, "email_key", input.email.key);
    const { consent, name, metadata, email } = input;
    const change = { name, metadata, isActivated: consent !== undefined };
    const events = before ? changeEventsStatements(ctx, list, before, change) : [];
    const results = await guardedBatch(ctx.mail, [
      ...events,
      ctx.mail.prepare(UPDATE).bind(number, list.n, email.key, ...changeParameters(input), consent ? 1 : 0),
      ...(consent ? [evidenceStatement(ctx, number, "changed", consentEvidence(ctx, list, email.key, consent))] : []),
    ]).catch((error: unknown) => {
      if (error instanceof ConcurrencyError && tries < MAX_TRIES) return null;
      throw error;
    });
    if (results === null) continue;
    await wakeForEvents(ctx, results.slice(0, events.length));
    const row = results[events.length]?.results[0] as ContactRow | undefined;
    if (row) return { isNew: false, contact: toContact(row) };
    const marks = await findMarks(ctx, number, [email.key]);
    try {
      return { isNew: true, contact: await insertContact(ctx, list, input, marks) };
    } catch (error) {
      // Another call added the address first: it is changed at the next try.
      if (!(error instanceof AppError && error.status === 409) || tries === MAX_TRIES) throw error;
    }
  }
}
