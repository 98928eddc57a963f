import type { Caller } from "../access/accounts/authenticate.ts";
import type { CallerCtx } from "../access/caller.ts";
import { forbidden } from "../lib/errors.ts";
import type { AppContext } from "./env.ts";

/**
 * Sets the caller of a request. `find` finds it again when the body has arrived slowly, because its right may have ended meanwhile. Reading
 * the body then throws as `find` does, and 403 when the role has changed.
 */
export function setCaller(c: AppContext, caller: CallerCtx, find: () => Promise<Pick<Caller, "actor">>): void {
  c.set("caller", caller);
  c.set("confirmCaller", async () => {
    const { actor } = await find();
    if (actor.role !== caller.actor.role) throw forbidden("Your role changed while the body was sent; send it again");
    c.set("caller", { ...c.get("caller"), actor });
  });
}
