import type { CallerCtx } from "../../access/caller.ts";
import type { PageUser } from "../../http/ui/index.ts";

/** Returns the signed-in user as pages show it. */
export const pageUser = ({ actor, workspace }: CallerCtx): PageUser => ({
  email: actor.email,
  workspace: workspace.name,
  scopes: actor.scopes,
  restricted: actor.restricted,
  paused: workspace.sendingPaused,
  isPlatformAdmin: actor.kind === "session" && actor.isPlatformAdmin,
});
