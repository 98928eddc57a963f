import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { forbidden } from "../../lib/errors.ts";

/** Throws 403 unless the caller is an owner or admin with a credential for the whole workspace. */
export function requireAdmin(ctx: CallerCtx): void {
  if (ctx.actor.role === "member") throw forbidden("Only owners and admins may export or erase a person");
  requireAllDomains(ctx);
}
