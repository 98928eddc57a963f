import type { CallerCtx } from "../../access/caller.ts";
import { AppError } from "../../lib/errors.ts";
import { mailDb } from "../../platform/db/client.ts";
import { findMarks } from "../../sending/suppressions/index.ts";
import { insertContact } from "./add-contact.ts";
import { CONTACT_COLUMNS, type ContactRow, getList } from "./queries.ts";
import { changeParameters } from "./rules.ts";
import { type ContactIn, type ContactOut, toContact } from "./schema.ts";

/** A contact that is deleted between the two statements is inserted at the next try. */
const MAX_TRIES = 3;

// The join drops the contact of a list that was deleted since it was read.
const UPDATE = `
  UPDATE contacts SET name = iif(?4, ?5, name), metadata = iif(?6, ?7, metadata)
   WHERE workspace = ?1 AND email_key = ?3 AND list = (SELECT n FROM contact_lists WHERE n = ?2)
  RETURNING ${CONTACT_COLUMNS}`;

interface Upserted {
  isNew: boolean;
  contact: ContactOut;
}

/**
 * Adds a contact, or changes the given fields of the contact of the list with this address; null clears a field. Throws
 * 404 for the list.
 */
export async function upsertContact(ctx: CallerCtx, listId: string, input: ContactIn): Promise<Upserted> {
  for (let tries = 1; ; tries++) {
    const list = await getList(ctx, listId);
    const row = await mailDb(ctx)
      .prepare(UPDATE)
      .bind(ctx.workspace.number, list.n, input.email.key, ...changeParameters(input))
      .first<ContactRow>();
    if (row) return { isNew: false, contact: toContact(row) };
    const marks = await findMarks(ctx, ctx.workspace.number, [input.email.key]);
    try {
      return { isNew: true, contact: await insertContact(ctx, list, input, marks) };
    } catch (error) {
      // Another call added the address first: it is changed at the next try.
      if (!(error instanceof AppError && error.status === 409) || tries === MAX_TRIES) throw error;
    }
  }
}
