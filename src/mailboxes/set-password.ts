import { auditStatement } from "../audit/index.ts";
import type { CallerCtx } from "../context.ts";
import { setPasswordStatements } from "../mailbox-sessions/index.ts";
import { checkAccess } from "../mailbox-store/index.ts";
import { getMailbox } from "./queries.ts";
import { type MailboxOut, toMailbox } from "./schema.ts";

/** Sets the password of a mailbox for webmail. Its sessions end. Throws 404. */
export async function setMailboxPassword(ctx: CallerCtx, id: string, password: string): Promise<MailboxOut> {
  const row = await getMailbox(ctx, id);
  await ctx.db.batch([
    ...(await setPasswordStatements(ctx, row.id, password)),
    auditStatement(ctx, { action: "mailbox.password_changed", target: row.id, detail: {} }),
  ]);
  await checkAccess(ctx, row.id);
  return toMailbox(row);
}
