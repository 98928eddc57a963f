import type { MailCtx } from "../../../platform/context.ts";
import { indexEmails } from "./index-emails.ts";

/** Steps of one call, each of 1,000 emails. */
const STEPS_PER_CALL = 10;

/**
 * Makes the search index of a mail database anew: with `restart` it is emptied first. Indexes up to 10,000 emails, oldest first.
 * Returns whether all are indexed. Safe to repeat; cron goes on with it too. Until the end, search does not find the others.
 */
export async function reindexEmails(ctx: MailCtx, restart: boolean): Promise<boolean> {
  if (restart) await ctx.mail.execute("INSERT INTO email_search (email_search) VALUES ('delete-all')");
  return (await indexEmails(ctx, STEPS_PER_CALL)) < STEPS_PER_CALL;
}
