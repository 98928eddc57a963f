import type { Ctx, MailCtx } from "../context.ts";
import { deleteExpiredEmails } from "./delete-expired-emails.ts";
import { deleteExpiredMailRows, deleteExpiredMainRows } from "./delete-expired-rows.ts";
import { rollUpDays } from "./roll-up-days.ts";
import { sweepObjects } from "./sweep-objects.ts";

/** Rolls up finished days of a mail database, then deletes its expired emails and rows. */
export async function runRetention(ctx: MailCtx): Promise<void> {
  await rollUpDays(ctx);
  await deleteExpiredEmails(ctx);
  await deleteExpiredMailRows(ctx);
}

/** Deletes expired rows of the main database, and objects without rows. */
export async function runMainRetention(ctx: Ctx): Promise<void> {
  await deleteExpiredMainRows(ctx);
  await sweepObjects(ctx);
}
