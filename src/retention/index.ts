import type { Ctx } from "../context.ts";
import { deleteExpiredEmails } from "./delete-expired-emails.ts";
import { deleteExpiredRows } from "./delete-expired-rows.ts";
import { sumDays } from "./sum-days.ts";

/** Sums up what is over and takes away what is past its time. */
export async function runRetention(ctx: Ctx): Promise<void> {
  await sumDays(ctx);
  await deleteExpiredEmails(ctx);
  await deleteExpiredRows(ctx);
}
