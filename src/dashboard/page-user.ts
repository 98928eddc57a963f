import type { CallerCtx } from "../context.ts";
import type { PageUser } from "../ui/index.ts";

/** Returns the signed-in user as pages show it. */
export const pageUser = ({ actor, workspace }: CallerCtx): PageUser => ({
  email: actor.email,
  workspace: workspace.name,
  scopes: actor.scopes,
  restricted: actor.restricted,
  paused: workspace.sendingPaused,
  isPlatformAdmin: actor.kind === "session" && actor.isPlatformAdmin,
});
