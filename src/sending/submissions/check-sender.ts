import { parseAddress } from "../../lib/addresses.ts";
import type { Ctx } from "../../platform/context.ts";
import { onNewestShard } from "../../platform/jobs/shards.ts";
import { sendReads } from "../emails/send/index.ts";
import { CREDENTIAL_WORKSPACE, type CredentialRow, findCredentialStatement, toSmtpCaller } from "./credentials.ts";
import { requireSender, toSubmitter } from "./require-sender.ts";
import { credentialEnded, type SmtpSession } from "./sessions.ts";

/**
 * Checks MAIL FROM: the credential is active, its account may send, and the address is an active mailbox of its domain.
 * One D1 call. Throws ReplyError or AppError.
 */
export async function checkSender(ctx: Ctx, session: SmtpSession, address: string): Promise<void> {
  const senders = new Set([parseAddress(address)?.key ?? ""]);
  const scope = { workspace: CREDENTIAL_WORKSPACE, parameter: session.credentialId };
  const reads = sendReads(ctx, scope, { senders, recipients: new Set(), topics: new Set() });
  const [found, ...results] = await ctx.db.batch([
    findCredentialStatement(ctx, session.credentialId),
    ...reads.statements,
  ]);
  const row = found?.results[0] as CredentialRow | undefined;
  if (row?.workspace_id !== session.workspaceId) throw credentialEnded();
  const caller = toSubmitter(onNewestShard(ctx, toSmtpCaller(row).workspace), row, reads.toCaller(results));
  requireSender(caller, address);
}
