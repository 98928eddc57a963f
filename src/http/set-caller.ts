import type { Caller } from "../access/accounts/authenticate.ts";
import type { CallerCtx } from "../access/caller.ts";
import { forbidden } from "../lib/errors.ts";
import type { Ctx } from "../platform/context.ts";
import { onShard } from "../platform/jobs/shards.ts";
import { type AppContext, clientOf } from "./env.ts";

type Found = Pick<Caller, "actor" | "workspace"> & Pick<CallerCtx, "frame">;

/**
 * Sets the caller of a request. `find` finds it again when the body has arrived slowly, because its right may have ended meanwhile. Reading
 * the body then throws as `find` does, and 403 when the role has changed. A token may expire meanwhile: `find` gets the time of the start.
 */
export function setCaller(c: AppContext, ctx: Ctx, found: Found, find: (atStart: Ctx) => Promise<Found>): void {
  const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
  c.set("caller", { ...onShard(ctx, found.workspace.mailShard), ...found, clientIp: clientOf(c).ip, waitUntil });
  const startedAt = ctx.now();
  c.set("confirmCaller", async () => {
    const { actor } = await find({ ...ctx, now: () => startedAt });
    if (actor.role !== found.actor.role) throw forbidden("Your role changed while the body was sent; send it again");
    c.set("caller", { ...c.get("caller"), actor });
  });
}
