import type { Ctx } from "../../platform/context.ts";
import { publishRecords, sharedRecordsStatements } from "../zones/index.ts";
import { advanceRotations } from "./advance-rotations.ts";

const MINUTES = 60;

/**
 * Takes the steps of rotations that are due, and publishes records of the zones. Runs each minute; without due work it costs two reads
 * by an index. Once an hour it also looks whether the shared records are those of this version.
 */
export async function tendZones(ctx: Ctx): Promise<void> {
  if (ctx.settings.delegatedZones.length === 0) return;
  if (Math.floor(ctx.now() / 60_000) % MINUTES === 0) await ctx.db.batch(sharedRecordsStatements(ctx));
  await advanceRotations(ctx);
  await publishRecords(ctx);
}
