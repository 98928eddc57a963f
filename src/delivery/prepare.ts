import type { Ctx } from "../context.ts";
import { openDkimKey } from "../domains/index.ts";
import { type ContentDocument, contentPlace, findContent, type RecipientEntry } from "../emails/index.ts";
import { type SigningKey, signMessage } from "../mail/dkim/index.ts";
import { type AttachmentSource, compose } from "../mail/mime/index.ts";
import type { Capabilities, OutgoingMessage } from "../mail/smtp/index.ts";
import { resolveTracking, trackHtml } from "../tracking/index.ts";
import { unsubscribeHeaders } from "../unsubscribes/index.ts";
import type { ClaimedMail, DkimKeyRow } from "./claim.ts";

/** A mail cannot be made, now or ever: there is nothing to try again. */
export class PermanentError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "Unsendable";
  }
}

/**
 * Reads a mail's content, composes and signs it for a server of these abilities. Throws Unsendable or
 * ComposeError for what can never go out; anything else that is thrown may pass.
 */
export async function prepareMessage(
  ctx: Ctx,
  mail: ClaimedMail,
  keys: readonly DkimKeyRow[],
  can: Pick<Capabilities, "smtpUtf8" | "eightBitMime">,
): Promise<OutgoingMessage> {
  const place = contentPlace(mail.workspaceId, mail.content);
  const { copy } = mail.content;
  const content = copy === null ? await findContent(ctx, place) : (JSON.parse(copy) as ContentDocument);
  if (!content) throw new PermanentError("the content is gone");
  if (keys.length === 0 || mail.sender.domain === null) throw new PermanentError("the domain has no DKIM key");
  const composed = compose(
    {
      id: mail.state.id,
      messageId: mail.messageId,
      date: new Date(mail.createdAt),
      from: { email: mail.fromEmail, name: mail.fromName },
      to: ofKind(mail, "to"),
      cc: ofKind(mail, "cc"),
      replyTo: content.reply_to,
      subject: mail.subject,
      headers: [...content.headers, ...(await listHeaders(ctx, mail))],
      text: content.text,
      html: content.html && (await tracked(ctx, mail, content.html, content.tracking)),
      attachments: content.attachments.map((file) => toSource(ctx, place.key, file)),
    },
    can,
  );
  // The transport copies each chunk before it asks for the next.
  const by = { domain: mail.sender.domain, now: new Date(ctx.now()), reuseBuffer: true };
  return signMessage(
    composed,
    keys.map((key) => toSigningKey(ctx, key)),
    by,
  );
}

/** Every bulk and broadcast email can be unsubscribed from (decisions 4). */
async function listHeaders(ctx: Ctx, { source, state }: ClaimedMail): Promise<[string, string][]> {
  if (source !== "bulk" && source !== "broadcast") return [];
  return unsubscribeHeaders(ctx, { workspace: state.workspace, emailId: state.id, recipient: 0 });
}

/** Pixel and links as settings and send want them. One message goes to all: its hits are nobody's in particular then. */
function tracked(ctx: Ctx, mail: ClaimedMail, html: string, wish: ContentDocument["tracking"]): Promise<string> {
  const { workspace, id: emailId, recipients } = mail.state;
  const recipient = recipients.length === 1 ? 0 : "all";
  return trackHtml(ctx, html, { workspace, emailId, recipient }, resolveTracking(mail.source, mail.settings, wish));
}

function ofKind(mail: ClaimedMail, kind: RecipientEntry["kind"]) {
  return mail.state.recipients.filter((entry) => entry.kind === kind).map(({ email, name }) => ({ email, name }));
}

function toSource(ctx: Ctx, key: string, file: ContentDocument["attachments"][number]): AttachmentSource {
  return {
    filename: file.filename,
    contentType: file.content_type,
    contentId: file.content_id,
    disposition: file.disposition,
    size: file.size,
    async open() {
      // R2 refuses a range of nothing.
      if (file.size === 0) return new Blob([]).stream();
      const object = await ctx.env.CONTENT.get(key, { range: { offset: file.at, length: file.size } });
      if (!object) throw new PermanentError("an attachment is gone");
      return object.body;
    },
  };
}

function toSigningKey(ctx: Ctx, key: DkimKeyRow): SigningKey {
  return {
    id: key.id,
    selector: key.selector,
    algorithm: key.algorithm,
    pkcs8: () => openDkimKey(ctx, key.id, key.private_key),
  };
}
