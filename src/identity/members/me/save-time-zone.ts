import type { CallerCtx } from "../../../access/caller.ts";
import { invalidField } from "../../../lib/errors.ts";
import { isTimeZone } from "../../../lib/local-time.ts";

/** Saves the zone in which pages show times to the caller. Null: that of the browser. Throws 422 for an unknown name. */
export async function saveTimeZone(ctx: CallerCtx, zone: string | null): Promise<void> {
  if (zone !== null && !isTimeZone(zone)) throw invalidField("time_zone", "time_zone is not a known time zone");
  await ctx.db.execute("UPDATE users SET time_zone = ?2 WHERE id = ?1", ctx.actor.userId, zone);
}
