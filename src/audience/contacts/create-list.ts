import type { CallerCtx } from "../../access/caller.ts";
import { expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { storeMailResponse } from "../../platform/idempotency/responses.ts";
import { requireConfirmation } from "../consent/index.ts";
import type { ListRow } from "./queries.ts";
import { type ListIn, type ListOut, toList } from "./schema.ts";

const INSERT = `
  INSERT INTO contact_lists (workspace, id, name, description, icon_seed, created_at, confirm, confirm_mailbox_id,
    confirm_subject, confirm_text)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 WHERE ${hasRoom("contact_lists", "?1")}`;

/** Creates an empty contact list. Throws 409 when the workspace has 10,000, 404 and 422 for the mailbox, 403 for the words. */
export async function createList(ctx: CallerCtx, input: ListIn): Promise<ListOut> {
  await requireConfirmation(ctx, input, async () => ({}));
  const row: Omit<ListRow, "n"> = {
    id: ctx.newId(),
    name: input.name,
    description: input.description ?? null,
    icon_seed: input.icon_seed ?? null,
    contact_count: 0,
    created_at: ctx.now(),
    confirm: input.confirm ? 1 : 0,
    confirm_mailbox_id: input.confirm_mailbox_id ?? null,
    confirm_subject: input.confirm_subject ?? null,
    confirm_text: input.confirm_text ?? null,
  };
  const response = toList(row);
  const values = [
    ...[row.id, row.name, row.description, row.icon_seed, row.created_at],
    ...[row.confirm, row.confirm_mailbox_id, row.confirm_subject, row.confirm_text],
  ];
  await guardedBatch(ctx.mail, [
    ctx.mail.prepare(INSERT).bind(ctx.workspace.number, ...values),
    expectChanges(ctx.mail, 1),
    ...(await storeMailResponse(ctx, response)),
  ]);
  return response;
}
