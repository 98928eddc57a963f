import type { Ctx, MailCtx } from "../../platform/context.ts";
import { type Steps, takeTurns } from "../../platform/jobs/turns.ts";
import { closeHours } from "./close-hours.ts";
import { countRows } from "./count-rows.ts";
import { deleteExpiredEmails } from "./delete-expired-emails.ts";
import { expiredMailRows, expiredMainRows } from "./delete-expired-rows.ts";
import { findOwnDays } from "./own-days.ts";
import { rollUpDays } from "./roll-up-days.ts";
import { sampleRows } from "./sample-rows.ts";
import { sweepObjects } from "./sweep-objects.ts";
import { warnOfFill, warnOfMainFill } from "./warn-of-fill.ts";

export { sampleRows };

/** Sums the hours of a mail database that have ended, measures its workspaces, then tells whom it concerns when it is nearly full. */
export async function* hourSteps(ctx: MailCtx): Steps {
  yield* closeHours(ctx);
  yield* sampleRows(ctx);
  yield* warnOfFill(ctx);
}

/** Counts rows of the workspaces in the main database, then tells the operators when it is nearly full. */
export async function* mainHourSteps(ctx: Ctx): Steps {
  yield* countRows(ctx);
  yield* warnOfMainFill(ctx);
}

/** Rolls up finished days of a mail database, then deletes its expired emails and rows, the tables in turns. */
export async function* retentionSteps(ctx: MailCtx): Steps {
  yield* rollUpDays(ctx);
  const ownDays = await findOwnDays(ctx);
  yield* takeTurns([deleteExpiredEmails(ctx, ownDays), ...expiredMailRows(ctx, ownDays)]);
}

/** Deletes expired rows of the main database, and objects without rows, in turns. */
export const mainRetentionSteps = (ctx: Ctx): Steps => takeTurns([...expiredMainRows(ctx), sweepObjects(ctx)]);
