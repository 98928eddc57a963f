import { OAUTH_REFUSAL } from "../../../access/accounts/scopes.ts";
import type { CallerCtx } from "../../../access/caller.ts";
import { forbidden } from "../../../lib/errors.ts";
import { permittedForwards } from "../../forwarding-rules/index.ts";
import type { Filter, FilterAction } from "../../mailbox-store/index.ts";
import type { OpenMailbox } from "../open.ts";

/** Throws 403 for an OAuth token when there is a forward, which would outlive it. */
export function refuseOauth({ actor }: CallerCtx, actions: readonly { type: string }[]): void {
  if (actor.kind === "oauth" && actions.some(({ type }) => type === "forward")) throw forbidden(OAUTH_REFUSAL);
}

/** Returns the actions by which these filters of a mailbox forward now. No D1 call when there are no forwards. Throws as `refuseOauth`. */
export async function findForwarding(
  ctx: CallerCtx,
  mailbox: OpenMailbox,
  filters: readonly Filter[],
): Promise<ReadonlySet<FilterAction>> {
  const forwards = filters.flatMap(({ actions }) => actions.flatMap((one) => (one.type === "forward" ? [one] : [])));
  refuseOauth(ctx, forwards);
  return new Set(await permittedForwards(ctx, { id: mailbox.id, workspace: ctx.workspace.number }, forwards));
}
