import type { Ctx } from "../context.ts";
import { dayOf } from "./rules.ts";

/** Greatest number of rows that one run deletes. The next run continues. */
const MAX_ROWS = 5_000;

/** Deletes stored responses older than 24 hours. */
export async function deleteExpiredResponses(ctx: Ctx): Promise<void> {
  await ctx.db
    .prepare(
      `DELETE FROM idempotency_keys WHERE (day, workspace, key) IN
        (SELECT day, workspace, key FROM idempotency_keys WHERE day < ?1 - 1 LIMIT ?2)`,
    )
    .bind(dayOf(ctx.now()), MAX_ROWS)
    .run();
}
