import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { contactEventsStatements } from "../../platform/person-events/contact-events.ts";
import { wakeForEvents } from "../../platform/person-events/wake.ts";
import { getList } from "./queries.ts";

/** Deletes a contact of a list. Throws 404 for the list or the contact. */
export async function deleteContact(ctx: CallerCtx, listId: string, id: string): Promise<void> {
  const list = await getList(ctx, listId);
  const db = ctx.mail;
  const contactId = parseUuid(id) ?? "";
  const removed = [JSON.stringify([{ id: contactId, event: ctx.newId() }])];
  const of = { workspace: ctx.workspace.number, list: list.n, chunks: removed };
  const events = contactEventsStatements(ctx, "contact.removed", of);
  const results = await db.batch([
    ...events,
    db
      .prepare("DELETE FROM contacts WHERE list = (SELECT n FROM contact_lists WHERE n = ?1) AND id = ?2")
      .bind(list.n, contactId),
    db.prepare("UPDATE contact_lists SET contact_count = contact_count - changes() WHERE n = ?1").bind(list.n),
  ]);
  if (results[events.length]?.meta.changes === 0) throw notFound("Contact");
  await wakeForEvents(ctx, results.slice(0, events.length));
}
