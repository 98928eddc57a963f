import type { Ctx, MailCtx } from "../../platform/context.ts";
import { type Steps, takeTurns } from "../../platform/jobs/turns.ts";
import { deleteExpiredEmails } from "./delete-expired-emails.ts";
import { deleteExpiredMainRows, expiredMailRows } from "./delete-expired-rows.ts";
import { findOwnDays } from "./own-days.ts";
import { rollUpDays } from "./roll-up-days.ts";
import { sweepObjects } from "./sweep-objects.ts";
import { warnOfFill } from "./warn-of-fill.ts";

/** Rolls up finished days of a mail database, then deletes its expired emails and rows, the tables in turns. */
export async function* retentionSteps(ctx: MailCtx): Steps {
  yield* rollUpDays(ctx);
  const ownDays = await findOwnDays(ctx);
  yield* takeTurns([deleteExpiredEmails(ctx, ownDays), ...expiredMailRows(ctx, ownDays), warnOfFill(ctx, ownDays)]);
}

/** Deletes expired rows of the main database, and objects without rows. */
export async function* mainRetentionSteps(ctx: Ctx): Steps {
  yield* deleteExpiredMainRows(ctx);
  yield* sweepObjects(ctx);
}

export { closeHours } from "./close-hours.ts";
