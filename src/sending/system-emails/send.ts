import { toCallerWorkspace } from "../../access/accounts/authenticate.ts";
import { type CallerCtx, systemActor } from "../../access/caller.ts";
import { sealLinks } from "../../lib/sealed-links.ts";
import type { Ctx } from "../../platform/context.ts";
import { ConcurrencyError } from "../../platform/db/batch.ts";
import type { Idempotency } from "../../platform/idempotency/key.ts";
import { findResponse } from "../../platform/idempotency/responses.ts";
import { onShard } from "../../platform/jobs/shards.ts";
import type { SystemEmail } from "../../platform/service-mail/system-email.ts";
import { deliver, egressOf } from "../delivery/index.ts";
import { sendEmail } from "../emails/send/index.ts";
import { composeHtml, composeText } from "./compose.ts";
import { findSender, readSystemMail } from "./sender.ts";

/** Returns whether the service has a mailbox for its own emails. */
export const canSendSystemEmails = async (ctx: Ctx): Promise<boolean> => (await readSystemMail(ctx)) === "configured";

/**
 * Sends an email from SYSTEM_MAILBOX through the pipeline of all emails, with the source `system`. Links of this service
 * in it are stored encrypted, since they contain tokens. It is delivered at
 * once, ahead of all that waits in the queue, unless it `isQueued`; when that fails, the queue delivers it like any other email. With a `key`,
 * calls of the next 24 hours with the same key send nothing. Returns false, and logs it, when there is no such mailbox.
 */
export async function sendSystemEmail(
  ctx: Ctx,
  { to, subject, parts, isQueued }: SystemEmail,
  key: string | null = null,
): Promise<boolean> {
  const sender = await findSender(ctx);
  if (typeof sender === "string") {
    ctx.log("system-email.no-mailbox", { mailbox: ctx.settings.systemMailbox });
    return false;
  }
  const { mailbox, row } = sender;
  // Without the limits of the workspace: users sign in, and a full database is told of, all the same.
  const workspace = {
    ...toCallerWorkspace({ ...row, shut_at: null }),
    dailyLimit: 0,
    mailSize: 0,
    isOverContent: false,
  };
  const mailCtx = onShard(ctx, workspace.mailShard);
  const caller: CallerCtx = {
    ...mailCtx,
    actor: systemActor("system", row.user_id, mailbox),
    workspace,
    clientIp: null,
    ...(key === null ? {} : { idempotency: keyed(key) }),
    wake: (rows) =>
      isQueued
        ? mailCtx.wake(rows)
        : deliver(mailCtx, rows, egressOf(ctx.settings)).then(
            () => true,
            () => mailCtx.wake(rows),
          ),
  };
  const { masterKeys, publicUrl, serviceName } = ctx.settings;
  const seal = (content: string) => sealLinks(masterKeys, content, publicUrl);
  const html = composeHtml({ subject, parts }, { service: serviceName, host: new URL(publicUrl).host });
  const content = { text: await seal(composeText({ parts })), html: await seal(html) };
  const from_ = { email: mailbox, name: serviceName };
  const tracking = { opens: false, clicks: false };
  try {
    await sendEmail(caller, { from_, to: [{ email: to }], subject, ...content, tracking }, "system");
  } catch (error) {
    if (!(error instanceof ConcurrencyError) || !(await isSent(caller))) throw error;
  }
  return true;
}

/** Returns an Idempotency-Key of the service itself. It is no hash of a key of a caller, since it contains a space. */
function keyed(key: string): Idempotency {
  return { keys: [`system ${key}`], fingerprint: "system", sealingKeys: async () => [] };
}

/** Returns whether an earlier call with the same key committed its email. */
async function isSent(caller: CallerCtx): Promise<boolean> {
  return caller.idempotency !== undefined && (await findResponse(caller, caller.idempotency)) !== null;
}
