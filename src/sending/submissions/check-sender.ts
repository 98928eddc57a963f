import { parseAddress } from "../../lib/addresses.ts";
import type { Ctx } from "../../platform/context.ts";
import { requireSender } from "./require-sender.ts";
import type { SmtpSession } from "./sessions.ts";
import { submitterReads } from "./submitters.ts";

/**
 * Checks MAIL FROM: the credential or the access to the mailbox has not ended, the account may send, and the address is an active mailbox
 * of the credential's domain, or the mailbox itself. One D1 call. Throws ReplyError or AppError.
 */
export async function checkSender(ctx: Ctx, session: SmtpSession, address: string): Promise<void> {
  const senders = new Set([parseAddress(address)?.key ?? ""]);
  const reads = submitterReads(ctx, session, { senders, recipients: new Set(), topics: new Set() });
  requireSender(reads.toCaller(await ctx.db.batch(reads.statements)), address);
}
