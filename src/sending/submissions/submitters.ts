import type { CallerCtx } from "../../access/caller.ts";
import { findCallerStatement, type MailboxCallerRow, toProgramCaller } from "../../access/mailbox-sessions/caller.ts";
import { toOpener } from "../../access/mailbox-sessions/mail-programs.ts";
import type { Ctx, MailCtx, MainStatement } from "../../platform/context.ts";
import { onShard } from "../../platform/jobs/shards.ts";
import { sendReads } from "../emails/send/index.ts";
import { CREDENTIAL_WORKSPACE, type CredentialRow, findCredentialStatement, toSmtpCaller } from "./credentials.ts";
import { accessEnded, credentialEnded, type SmtpSession } from "./sessions.ts";

/** SQL expression: the number of the workspace of a mailbox. `?1` is its id. */
const MAILBOX_WORKSPACE = "(SELECT workspace FROM mailboxes WHERE id = ?1)";

/** Returns the source of a submitted email: what a mail program sends from its mailbox is mail of the mailbox, as that of webmail. */
export const submittedSource = ({ actor }: CallerCtx) => (actor.kind === "mailbox" ? "inbox" : "smtp");

/**
 * Returns the reads of the caller of a session, and of what its messages name, for one D1 batch. `toCaller` throws ReplyError when its
 * credential, or the access to its mailbox, has ended.
 */
export function submitterReads(ctx: Ctx, session: SmtpSession, addresses: Parameters<typeof sendReads>[2]) {
  const { mailbox, credentialId } = session;
  const scope = mailbox
    ? { workspace: MAILBOX_WORKSPACE, parameter: mailbox.id }
    : { workspace: CREDENTIAL_WORKSPACE, parameter: credentialId };
  const find: MainStatement = mailbox
    ? findCallerStatement(ctx, toOpener(mailbox))
    : findCredentialStatement(ctx, credentialId);
  const reads = sendReads(ctx, scope, addresses);
  return {
    statements: [find, ...reads.statements],
    toCaller([found, ...results]: D1Result[]) {
      const submitter = toSubmitter(session, found?.results[0]);
      const mailCtx: MailCtx = onShard(ctx, submitter.workspace.mailShard);
      return { ...mailCtx, ...submitter, clientIp: null, ...reads.toCaller(results) };
    },
  };
}

function toSubmitter({ mailbox, credentialId, workspaceId }: SmtpSession, row: unknown) {
  const ended = mailbox ? accessEnded() : credentialEnded();
  if (!row) throw ended;
  const submitter = mailbox
    ? toProgramCaller(row as MailboxCallerRow, credentialId)
    : toSmtpCaller(row as CredentialRow);
  if (submitter.workspace.id !== workspaceId) throw ended;
  return submitter;
}
