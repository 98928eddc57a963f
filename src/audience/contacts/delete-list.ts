import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../platform/db/batch.ts";
import { purgeStatement } from "../../platform/outbox/purge-statement.ts";
import { getList } from "./queries.ts";

/** Deletes a contact list. No contact of it is visible then; the outbox deletes their rows, in steps. Throws 404. */
export async function deleteList(ctx: CallerCtx, id: string): Promise<void> {
  const list = await getList(ctx, id);
  await guardedBatch(ctx.mail, [
    ctx.mail.prepare("DELETE FROM contact_lists WHERE n = ?1").bind(list.n),
    expectChanges(ctx.mail, 1),
    ctx.mail.prepare("DELETE FROM contact_forms WHERE list = ?1").bind(list.n),
    purgeStatement(ctx, [{ id: list.id, purge: { contactList: list.n } }]),
  ]).catch(onConcurrency(() => notFound("Contact list")));
}
