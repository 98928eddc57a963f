import type { CallerCtx } from "../../../access/caller.ts";
import { linkUrl } from "../../../domains/hosts/index.ts";
import { addressKey } from "../../../lib/addresses.ts";
import { forbidden, notFound } from "../../../lib/errors.ts";
import { signMessage } from "../../../mail/dkim/sign.ts";
import type { OutgoingMessage } from "../../../mail/smtp/transport.ts";
import { getEmail, mayReadContent, messageIdOf, queuedAt, readContent, readEvents } from "../../emails/index.ts";
import { readSenders, toFacts } from "../claim/index.ts";
import { composeMail } from "./compose-mail.ts";
import { toSigningKeys } from "./prepare.ts";

/** The source is for readers of today, whose programs take both. */
const CAPABILITIES = { smtpUtf8: true, eightBitMime: true };

/**
 * Returns the message of an email as it is composed, signed with the active keys of its domain when it was sent
 * (docs/contract/emails.md#source-of-an-email). Its size is in bytes. Links of emails of the service itself stay encrypted:
 * they sign their reader in. Throws 404 for an unknown email and for one whose content was deleted, 403 for mail of a mailbox
 * that the caller may not open. Costs two D1 calls, and for an attachment two R2 reads.
 */
export async function composeSource(ctx: CallerCtx, id: string): Promise<Pick<OutgoingMessage, "size" | "chunks">> {
  const row = await getEmail(ctx, id);
  if (!(await mayReadContent(ctx, row))) throw forbidden("You may not read the mailbox that sent this email");
  const { number, id: workspaceId } = ctx.workspace;
  const query = {
    n: 0,
    emailId: row.id,
    workspace: number,
    domainId: row.domainId,
    mailboxId: row.mailboxId,
    fromKey: addressKey(row.fromEmail),
    userId: row.userId,
    scope: { source: row.source, isRetry: false },
    topic: null,
    recipientKeys: [],
  };
  const { senders, keys } = await readSenders(ctx, [query]);
  const sender = senders.get(0);
  const location = { ...row, linkUrl: linkUrl(ctx.settings, sender?.link_host ?? null) };
  const content = await readContent(ctx, workspaceId, location);
  if (!content || !sender) throw notFound("Content of the email");
  const mail = {
    state: { workspace: number, id: row.id, recipients: row.recipients },
    workspaceId,
    messageId: messageIdOf(row),
    subject: row.subject,
    fromEmail: row.fromEmail,
    fromName: row.fromName,
    queuedAt: queuedAt({ ...row, events: readEvents(row.events, row) }),
    source: row.source,
    settings: JSON.parse(sender.settings) as { tracking_opens?: boolean; tracking_clicks?: boolean },
    contentLocation: location,
    content,
    sender: toFacts(row.domainId, sender),
  };
  const { composed, hasCfblAddress } = await composeMail(ctx, mail, CAPABILITIES, "sealed");
  const { domain } = toFacts(row.domainId, sender);
  const isSigned = row.sentAt !== null && domain !== null;
  const signingKeys = isSigned ? toSigningKeys(ctx, keys, hasCfblAddress) : [];
  return signMessage(composed, signingKeys, { domain: domain ?? "", now: new Date(row.sentAt ?? 0) });
}
