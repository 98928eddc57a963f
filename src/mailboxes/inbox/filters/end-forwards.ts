import type { CallerCtx } from "../../../access/caller.ts";
import { auditStatement } from "../../../platform/audit/record.ts";
import type { OpenMailbox } from "../open.ts";
import { getFilter } from "./change.ts";

/** Removes the forwards of a filter, and the filter when it does nothing else. Throws 404. */
export async function endForwards(ctx: CallerCtx, mailbox: OpenMailbox, filterId: string): Promise<void> {
  const { store } = mailbox;
  const { id, actions } = await getFilter(mailbox, filterId);
  const others = actions.filter(({ type }) => type !== "forward");
  const changed = others.some(({ type }) => type !== "stop")
    ? await store.updateFilter(id, { actions: others, maker: null })
    : null;
  // A filter that cannot be saved, such as one whose folder was deleted, must not go on either.
  if (!changed || "refused" in changed) await store.deleteFilter(id);
  const forwards = actions.flatMap((action) => (action.type === "forward" ? [action.address] : []));
  await auditStatement(ctx, {
    action: "mailbox.filter_ended",
    target: mailbox.id,
    detail: { filter: id, forwards },
  }).run();
}
