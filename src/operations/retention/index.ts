import type { Ctx, MailCtx } from "../../platform/context.ts";
import { runToEnd, type Steps } from "../../platform/jobs/turns.ts";
import { closeHours } from "./close-hours.ts";
import { deleteExpiredEmails } from "./delete-expired-emails.ts";
import { deleteExpiredMailRows, deleteExpiredMainRows } from "./delete-expired-rows.ts";
import { rollUpDays } from "./roll-up-days.ts";
import { sweepObjects } from "./sweep-objects.ts";

/** Rolls up finished days of a mail database, then deletes its expired emails and rows. */
export async function* retentionSteps(ctx: MailCtx): Steps {
  yield* rollUpDays(ctx);
  yield* deleteExpiredEmails(ctx);
  yield* deleteExpiredMailRows(ctx);
}

/** Deletes expired rows of the main database, and objects without rows. */
export async function* mainRetentionSteps(ctx: Ctx): Steps {
  yield* deleteExpiredMainRows(ctx);
  yield* sweepObjects(ctx);
}

/** Runs all steps of `retentionSteps`. */
export const runRetention = (ctx: MailCtx): Promise<void> => runToEnd(retentionSteps(ctx));

/** Runs all steps of `mainRetentionSteps`. */
export const runMainRetention = (ctx: Ctx): Promise<void> => runToEnd(mainRetentionSteps(ctx));

/** Runs all steps of `closeHours`. */
export const runCloseHours = (ctx: MailCtx): Promise<void> => runToEnd(closeHours(ctx));

export { closeHours } from "./close-hours.ts";
