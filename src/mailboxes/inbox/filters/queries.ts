import { outlives, refuseOauth } from "../../../access/accounts/outlives.ts";
import type { CallerCtx } from "../../../access/caller.ts";
import { permittedForwards } from "../../forwarding-rules/index.ts";
import type { Filter, FilterAction } from "../../mailbox-store/index.ts";
import type { ReadableMailbox } from "../open.ts";

/** Throws 403 for an OAuth token when there is a forward, which would outlive it. */
export function refuseForwardByOauth({ actor }: CallerCtx, actions: readonly { type: string }[]): void {
  if (actions.some(({ type }) => type === "forward")) refuseOauth(actor, outlives.filterThatForwards);
}

/** Returns the actions by which these filters of a mailbox forward now. No D1 call when there are no forwards. Throws as `refuseForwardByOauth`. */
export async function findForwarding(
  ctx: CallerCtx,
  mailbox: ReadableMailbox,
  filters: readonly Filter[],
): Promise<ReadonlySet<FilterAction>> {
  const forwards = filters.flatMap(({ actions }) => actions.flatMap((one) => (one.type === "forward" ? [one] : [])));
  refuseForwardByOauth(ctx, forwards);
  return new Set(await permittedForwards(ctx, { id: mailbox.id, workspace: ctx.workspace.number }, forwards));
}
