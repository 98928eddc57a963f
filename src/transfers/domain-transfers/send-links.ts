import { formatTime } from "../../lib/local-time.ts";
import type { Ctx } from "../../platform/context.ts";
import { quoteName } from "../../platform/service-mail/rules.ts";
import { sendSystemEmail } from "../../sending/system-emails/index.ts";
import type { TransferRow } from "./queries.ts";
import { statusAfter } from "./rules.ts";
import { newToken } from "./tokens.ts";

/** Mails the accept link of a pending transfer. The hash of its token is stored first, so that the link of a repeated run works too. */
export async function sendAcceptLink(ctx: Ctx, transfer: TransferRow): Promise<void> {
  if (statusAfter(transfer, "accept", ctx.now()) === null) return;
  const { id, domainName, sourceLabel, sourceUserId, targetEmail, note, expiresAt } = transfer;
  const sender = await findEmail(ctx, sourceUserId);
  const { token, statement } = await newToken(ctx, "accept", id);
  await statement.run();
  const parts = [
    `${sender ?? "A member"} of the workspace ${quoteName(sourceLabel)} offers you the domain ${domainName}.`,
    ...(note ? [`Their note:\n${note.replace(/^/gm, "> ")}`] : []),
    {
      ask: `To accept or decline it, open this link and sign in as ${targetEmail}:`,
      label: "See the offer",
      url: `${ctx.settings.publicUrl}/domain-transfers/accept/${token}`,
    },
    `The link works until ${formatTime(new Date(expiresAt), "UTC")}. The domain moves 24 hours after you have accepted it.`,
    "If you do not know the sender, ignore this email.",
  ];
  await sendSystemEmail(ctx, { cause: "transfer", to: targetEmail, subject: `Transfer of ${domainName}`, parts });
}

/** Mails a stop link of an accepted transfer to one owner of the source workspace. */
export async function sendStopLink(ctx: Ctx, transfer: TransferRow, owner: string): Promise<void> {
  if (statusAfter(transfer, "stop", ctx.now()) === null) return;
  const to = await findEmail(ctx, owner);
  if (to === null) return;
  const { token, statement } = await newToken(ctx, "stop", transfer.id);
  await statement.run();
  const { domainName, sourceLabel, targetEmail, cooloffUntil } = transfer;
  const parts = [
    `${targetEmail} has accepted the transfer of ${domainName} from your workspace ${quoteName(sourceLabel)}.`,
    `The domain moves with its mailboxes at ${formatTime(new Date(cooloffUntil ?? 0), "UTC")}. From then on this workspace cannot send from it.`,
    {
      ask: "To stop the transfer, open this link and sign in:",
      label: "Stop the transfer",
      url: `${ctx.settings.publicUrl}/domain-transfers/stop/${token}`,
    },
  ];
  const subject = `${domainName} will move to ${targetEmail}`;
  await sendSystemEmail(ctx, { cause: "transfer", to, subject, parts });
}

/** Tells the recipient of a transfer by mail that the source has cancelled it, or deleted the domain. */
export async function sendWithdrawal(ctx: Ctx, { domainName, sourceLabel, targetEmail }: TransferRow): Promise<void> {
  const parts = [
    `The workspace ${quoteName(sourceLabel)} no longer offers you the domain ${domainName}: it has cancelled the transfer or deleted the domain.`,
    "Nothing moves to your workspace, and the link of the earlier email no longer works. There is nothing for you to do.",
  ];
  const subject = `The transfer of ${domainName} was cancelled`;
  await sendSystemEmail(ctx, { cause: "transfer", to: targetEmail, subject, parts });
}

const findEmail = ({ db }: Ctx, userId: string): Promise<string | null> =>
  db.findValue<string>("SELECT email FROM users WHERE id = ?1", userId);
