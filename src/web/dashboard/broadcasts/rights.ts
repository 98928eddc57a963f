import type { CallerCtx } from "../../../access/caller.ts";

/** Returns whether the caller may change broadcasts, or send them. */
export const may = (caller: CallerCtx, what: "manage" | "send") => caller.actor.scopes.has(`broadcasts:${what}`);
