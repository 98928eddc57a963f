import type { Ctx } from "../context.ts";
import { deleteExpiredEmails } from "./delete-expired-emails.ts";
import { deleteExpiredRows } from "./delete-expired-rows.ts";
import { rollUpDays } from "./roll-up-days.ts";
import { sweepObjects } from "./sweep-objects.ts";

/** Rolls up finished days, then deletes expired emails and rows, and objects without rows. */
export async function runRetention(ctx: Ctx): Promise<void> {
  await rollUpDays(ctx);
  await deleteExpiredEmails(ctx);
  await deleteExpiredRows(ctx);
  await sweepObjects(ctx);
}
