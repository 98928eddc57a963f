import type { Ctx } from "../context.ts";
import { dayOf } from "./rules.ts";

/** Rows one run takes away: a bounded step of a job that comes again. */
const ROWS = 5_000;

/** Takes away answers that are past their 24 hours. */
export async function deleteExpiredResponses(ctx: Ctx): Promise<void> {
  await ctx.db
    .prepare(
      `DELETE FROM idempotency_keys WHERE (day, workspace, key) IN
        (SELECT day, workspace, key FROM idempotency_keys WHERE day < ?1 - 1 LIMIT ?2)`,
    )
    .bind(dayOf(ctx.now()), ROWS)
    .run();
}
