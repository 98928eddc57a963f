import type { CallerCtx } from "../../access/caller.ts";
import { afterResponse } from "../../platform/after-response.ts";
import { sendNotice } from "../../platform/service-mail/system-email.ts";
import { sendSystemEmail } from "../../sending/system-emails/index.ts";

const FIND_OTHERS = `
  SELECT u.email FROM mailbox_assignees a JOIN users u ON u.id = a.user_id WHERE a.mailbox_id = ?1 AND a.user_id <> ?2`;

/** Tells those who are assigned to a mailbox by email, after the response, that the caller made a password for it. */
export async function tellAssignees(ctx: CallerCtx, mailbox: { id: string; address: string }): Promise<void> {
  const { actor, settings } = ctx;
  const results = await ctx.db.listRows<{ email: string }>(FIND_OTHERS, mailbox.id, actor.userId);
  const subject = `A new password of ${mailbox.address}`;
  const parts = [
    `${actor.email} made a password that opens the mailbox ${mailbox.address}, which is assigned to you.`,
    {
      ask: "If you did not expect it, ask this person, and see the passwords of the mailbox:",
      label: "See the mailbox",
      url: `${settings.publicUrl}/app/mailboxes/${mailbox.id}`,
    },
  ];
  const mails = results.map(({ email }) =>
    sendNotice(ctx, { cause: "security_notice", to: email, subject, parts, isQueued: true }, sendSystemEmail),
  );
  await afterResponse(ctx, Promise.all(mails));
}
