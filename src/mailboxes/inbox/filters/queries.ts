import type { CallerCtx } from "../../../access/caller.ts";
import { permittedForwards } from "../../forwarding-rules/index.ts";
import type { Filter, FilterAction } from "../../mailbox-store/index.ts";
import type { OpenMailbox } from "../open.ts";

/** Returns the actions by which these filters of a mailbox forward now. No D1 call when there are no forwards. */
export async function findForwarding(
  ctx: CallerCtx,
  mailbox: OpenMailbox,
  filters: readonly Filter[],
): Promise<ReadonlySet<FilterAction>> {
  const forwards = filters.flatMap(({ actions }) => actions.flatMap((one) => (one.type === "forward" ? [one] : [])));
  return new Set(await permittedForwards(ctx, { id: mailbox.id, workspace: ctx.workspace.number }, forwards));
}
