import type { MailCtx } from "../context.ts";
import { openDkimKey } from "../domains/index.ts";
import { type ContentDocument, contentPlace, type RecipientEntry } from "../emails/index.ts";
import { openLinks } from "../lib/sealed-links.ts";
import { type SigningKey, signMessage } from "../mail/dkim/index.ts";
import { type AttachmentSource, compose } from "../mail/mime/index.ts";
import type { Capabilities, OutgoingMessage } from "../mail/smtp/index.ts";
import { resolveTracking, trackHtml } from "../tracking/index.ts";
import { unsubscribeHeaders } from "../unsubscribes/index.ts";
import type { ClaimedMail } from "./claim.ts";
import type { DkimKeyRow } from "./read-senders.ts";

/** The message cannot be composed, now or later, so the email must not be tried again. */
export class PermanentError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "PermanentError";
  }
}

/** A message for the transport, and what its outcome's metadata tells about it. */
export interface PreparedMessage extends OutgoingMessage {
  /** Links that are not tracked because the email has too many. */
  untrackedLinks: number;
  /** R2 reads of its preparation and of sending it once. */
  objectReads: number;
}

/**
 * Composes and signs an email for a server with these capabilities. `content` is null when it was deleted. Throws PermanentError
 * or ComposeError when it can never be sent; any other error may be temporary.
 */
export async function prepareMessage(
  ctx: MailCtx,
  mail: ClaimedMail & { content: ContentDocument | null },
  keys: readonly DkimKeyRow[],
  capabilities: Pick<Capabilities, "smtpUtf8" | "eightBitMime">,
): Promise<PreparedMessage> {
  const { content, contentLocation: location } = mail;
  const place = contentPlace(mail.workspaceId, location);
  if (!content) throw new PermanentError("the content of the email was deleted");
  if (keys.length === 0 || mail.sender.domain === null) throw new PermanentError("the domain has no DKIM key");
  const tracked = await addTracking(ctx, mail, content);
  const composed = compose(
    {
      id: mail.state.id,
      messageId: mail.messageId,
      date: new Date(mail.queuedAt),
      from: { email: mail.fromEmail, name: mail.fromName },
      to: content.visible?.to ?? recipientsOfKind(mail, "to"),
      cc: content.visible?.cc ?? recipientsOfKind(mail, "cc"),
      replyTo: content.reply_to,
      subject: mail.subject,
      headers: [...content.headers, ...(await listHeaders(ctx, mail))],
      text: await openText(ctx, mail, content.text),
      html: tracked.html,
      attachments: content.attachments.map((file) => toAttachmentSource(ctx, place.key, file)),
    },
    capabilities,
  );
  // The transport copies each chunk before it asks for the next.
  const options = { domain: mail.sender.domain, now: new Date(ctx.now()), reuseBuffer: true };
  const message = await signMessage(
    composed,
    keys.map((key) => toSigningKey(ctx, key)),
    options,
  );
  // Neighbouring documents of a batch are read at once, so this counts too many. Each attachment is read to sign the message and again to send it.
  const objectReads = (location.content === null ? 1 : 0) + 2 * content.attachments.length;
  return { ...message, untrackedLinks: tracked.untrackedLinks, objectReads };
}

/** Returns the text of the message. Emails of the service itself are stored with encrypted links. */
async function openText(ctx: MailCtx, { source }: ClaimedMail, text: string | null): Promise<string | null> {
  return source === "system" && text !== null ? openLinks(ctx.settings.masterKeys, text) : text;
}

/** Returns the List-Unsubscribe headers of bulk and broadcast email (decisions 4). */
async function listHeaders(ctx: MailCtx, { source, state }: ClaimedMail): Promise<[string, string][]> {
  if (source !== "bulk" && source !== "broadcast") return [];
  return unsubscribeHeaders(ctx, { workspace: state.workspace, emailId: state.id, recipient: 0 });
}

/** Adds the tracking pixel and links. With several recipients a hit names none of them, since all get one message. */
async function addTracking(
  ctx: MailCtx,
  mail: ClaimedMail,
  { html, tracking }: ContentDocument,
): Promise<{ html: ContentDocument["html"]; untrackedLinks: number }> {
  if (!html) return { html, untrackedLinks: 0 };
  const { workspace, id: emailId, recipients } = mail.state;
  const recipient = recipients.length === 1 ? 0 : "all";
  return trackHtml(ctx, html, { workspace, emailId, recipient }, resolveTracking(mail.source, mail.settings, tracking));
}

function recipientsOfKind(mail: ClaimedMail, kind: RecipientEntry["kind"]) {
  return mail.state.recipients.filter((entry) => entry.kind === kind).map(({ email, name }) => ({ email, name }));
}

function toAttachmentSource(ctx: MailCtx, key: string, file: ContentDocument["attachments"][number]): AttachmentSource {
  return {
    filename: file.filename,
    contentType: file.content_type,
    contentId: file.content_id,
    disposition: file.disposition,
    size: file.size,
    async open() {
      // R2 refuses an empty range.
      if (file.size === 0) return new Blob([]).stream();
      const object = await ctx.env.CONTENT.get(key, { range: { offset: file.at, length: file.size } });
      if (!object) throw new PermanentError("the object of an attachment was deleted");
      return object.body;
    },
  };
}

function toSigningKey(ctx: MailCtx, key: DkimKeyRow): SigningKey {
  return {
    id: key.id,
    selector: key.selector,
    algorithm: key.algorithm,
    pkcs8: () => openDkimKey(ctx, key.id, key.private_key),
  };
}
