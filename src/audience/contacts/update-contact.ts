import type { CallerCtx } from "../../access/caller.ts";
import { conflict, notFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { ConcurrencyError, guardedBatch, isUniqueViolation } from "../../platform/db/batch.ts";
import { wakeAfterResponse } from "../../platform/outbox/wake-after-response.ts";
import { wakeForEvents } from "../../platform/person-events/wake.ts";
import { copyToContacts } from "../../sending/suppressions/index.ts";
import { requestStatements } from "../consent/index.ts";
import { changeEventsStatements } from "./change-events.ts";
import { CONTACT_COLUMNS, type ContactRow, getContact, getListAndContact } from "./queries.ts";
import { changeParameters } from "./rules.ts";
import { type ContactOut, type ContactPatch, toContact } from "./schema.ts";

const UPDATE = `
  UPDATE contacts SET email = coalesce(?3, email), email_key = coalesce(?4, email_key),
    name = iif(?5, ?6, name), metadata = iif(?7, ?8, metadata),
    pending_since = CASE WHEN ?4 IS NULL OR ?4 = email_key THEN pending_since
      WHEN (SELECT confirm FROM contact_lists WHERE n = ?1) OR pending_since IS NOT NULL THEN ?9 END
   WHERE list = (SELECT n FROM contact_lists WHERE n = ?1) AND id = ?2 RETURNING ${CONTACT_COLUMNS}`;

/** A contact that another call changed since it was read is read again. */
const MAX_TRIES = 5;

/** Changes fields of a contact; null clears one. A new address may need confirmation. Throws 404, 409 for an address of another. */
export async function updateContact(
  ctx: CallerCtx,
  listId: string,
  id: string,
  patch: ContactPatch,
): Promise<ContactOut> {
  const { list, row } = await writeChange(ctx, listId, parseUuid(id) ?? "", patch);
  if (!row) throw notFound("Contact");
  const { email } = patch;
  if (!email) return toContact(row);
  await copyToContacts(ctx, ctx.workspace.number, [email.key]);
  if (row.pending_since !== null) {
    const { statements, wakeUp } = requestStatements(ctx, list, [JSON.stringify([{ id: row.id }])]);
    await ctx.mail.batch(statements);
    await wakeAfterResponse(ctx, [wakeUp]);
  }
  return toContact(await getContact(ctx, listId, id));
}

/** Writes a change with its events. Returns the list, and the contact as it is then: undefined when there is none. */
async function writeChange(ctx: CallerCtx, listId: string, id: string, patch: ContactPatch, tries = 1) {
  const { list, before } = await getListAndContact(ctx, listId, "id", id);
  const { email } = patch;
  const update = ctx.mail
    .prepare(UPDATE)
    .bind(list.n, id, email?.address ?? null, email?.key ?? null, ...changeParameters(patch), ctx.now());
  const events = before ? changeEventsStatements(ctx, list, before, patch) : [];
  try {
    const results = await guardedBatch(ctx.mail, [...events, update]);
    await wakeForEvents(ctx, results.slice(0, events.length));
    return { list, row: results[events.length]?.results[0] as ContactRow | undefined };
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict("The list already has a contact with this email address");
    if (!(error instanceof ConcurrencyError) || tries === MAX_TRIES) throw error;
    return writeChange(ctx, listId, id, patch, tries + 1);
  }
}
