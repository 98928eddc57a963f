/** Accepts emails through the send verb, with the clock of a given context; nothing is delivered. */

import { authenticateApiKey } from "../../src/access/accounts/authenticate.ts";
import type { CallerCtx } from "../../src/access/caller.ts";
import type { MailCtx, WakeUp } from "../../src/platform/context.ts";
import { SendIn } from "../../src/sending/emails/schema.ts";
import { sendEmail } from "../../src/sending/emails/send/send.ts";
import { aMail, type TestWorkspace } from "./workspace.ts";

/** Returns the context with the owner of the workspace's API key as the caller. */
export async function callerContext(ctx: MailCtx, workspace: TestWorkspace): Promise<CallerCtx> {
  return { ...ctx, clientIp: null, ...(await authenticateApiKey(ctx, workspace.apiKey)) };
}

/** Accepts an email of the workspace and returns its id. */
export async function acceptEmail(
  ctx: MailCtx,
  workspace: TestWorkspace,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const caller = await callerContext(ctx, workspace);
  return (await sendEmail(caller, SendIn.parse(aMail(workspace, changes)), "api")).id;
}

/** Returns the outbox rows whose id is the email's id. */
export async function outboxRowsOf(
  ctx: MailCtx,
  id: string,
): Promise<(WakeUp & { claims: number; token: string | null })[]> {
  const { results } = await ctx.outbox
    .prepare("SELECT due_at AS dueAt, id, kind, claims, token FROM outbox WHERE id = ?1")
    .bind(id)
    .all<WakeUp & { claims: number; token: string | null }>();
  return results;
}
