import { AppError } from "../../lib/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import type { SendSystemEmail, SystemEmail } from "../../platform/system-email.ts";
import { type NoticeRef, toPreferences } from "../notifications/index.ts";
import type { SendOutcome } from "./rules.ts";

const FIND_OWNERS = `
  SELECT u.id, u.email, w.name AS workspace_name, p.preferences FROM workspaces w
    JOIN memberships m ON m.workspace = w.number AND m.role = 'owner' JOIN users u ON u.id = m.user_id
    LEFT JOIN notification_preferences p ON p.user_id = u.id
   WHERE w.number = ?1 AND w.deleted_at IS NULL`;

interface Owner {
  id: string;
  email: string;
  workspace_name: string;
  preferences: string | null;
}

/**
 * Emails an event to each owner of its workspace who wants it, from the mailbox of the service. A repeated call emails no
 * owner twice. An address that the service may not send to is skipped.
 */
export async function sendEmails(ctx: Ctx, notice: NoticeRef, sendEmail: SendSystemEmail): Promise<SendOutcome> {
  const { results } = await ctx.db.prepare(FIND_OWNERS).bind(notice.workspace).all<Owner>();
  const owners = results.filter(({ preferences }) => toPreferences(preferences)[notice.category].email);
  for (const owner of owners) {
    try {
      await sendEmail(ctx, toEmail(notice, owner), `notice ${notice.event} ${owner.id}`);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      ctx.log("notification.email.refused", { notice: notice.event, user: owner.id, error: error.message });
    }
  }
  return owners.length > 0 ? "sent" : "unwanted";
}

function toEmail({ title, body }: NoticeRef, { email, workspace_name: workspace }: Owner): SystemEmail {
  const parts = [
    body,
    `This concerns the workspace "${workspace}". Its owners choose by their notification preferences which events are emailed to them.`,
  ];
  return { to: email, subject: oneLine(`${title} (${workspace})`), parts };
}

/** Replaces line breaks and other control characters, which a subject must not have. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
