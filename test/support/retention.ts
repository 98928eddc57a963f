/** Jobs that the Worker does in steps, run to their end. */
import { closeHours } from "../../src/operations/retention/close-hours.ts";
import { hourSteps, mainHourSteps, mainRetentionSteps, retentionSteps } from "../../src/operations/retention/index.ts";
import type { Ctx, MailCtx } from "../../src/platform/context.ts";
import type { Steps } from "../../src/platform/jobs/turns.ts";
import { offloadSteps } from "../../src/sending/emails/index.ts";

/** Runs all steps of a job. */
export async function runToEnd(steps: Steps): Promise<void> {
  while (!(await steps.next()).done);
}

/** Rolls up finished days of a mail database, then deletes its expired emails and rows. */
export const runRetention = (ctx: MailCtx): Promise<void> => runToEnd(retentionSteps(ctx));

/** Deletes expired rows of the main database, and objects without rows. */
export const runMainRetention = (ctx: Ctx): Promise<void> => runToEnd(mainRetentionSteps(ctx));

/** Closes the hours of the roll-ups that have ended. */
export const runCloseHours = (ctx: MailCtx): Promise<void> => runToEnd(closeHours(ctx));

/** Closes hours, and tells of a mail database that is nearly full. */
export const runHour = (ctx: MailCtx): Promise<void> => runToEnd(hourSteps(ctx));

/** Counts rows of the main database, and tells of it when it is nearly full. */
export const runMainHour = (ctx: Ctx): Promise<void> => runToEnd(mainHourSteps(ctx));

/** Moves the content of emails from rows to R2. */
export const offloadContent = (ctx: MailCtx): Promise<void> => runToEnd(offloadSteps(ctx));
