import { linkUrl } from "../../../domains/hosts/index.ts";
import { parsingWork } from "../../../lib/liquid/meter.ts";
import { escapeHtml } from "../../../lib/placeholders.ts";
import { openLinks } from "../../../lib/sealed-links.ts";
import { compose } from "../../../mail/mime/compose.ts";
import { foldedField } from "../../../mail/mime/headers.ts";
import type { ComposedMessage } from "../../../mail/mime/message.ts";
import { composeRaw, type RawContent } from "../../../mail/raw/compose.ts";
import { parseFields } from "../../../mail/raw/fields.ts";
import { replaceHtml } from "../../../mail/raw/replace-html.ts";
import type { Capabilities } from "../../../mail/smtp/transport.ts";
import { textAlternative } from "../../../mail/texts/text.ts";
import type { MailCtx } from "../../../platform/context.ts";
import { spendWork } from "../../../platform/db/count-statements.ts";
import {
  type ContentDocument,
  contentPlace,
  isBulkSource,
  type RecipientEntry,
  rawBodyOf,
  toAttachmentSource,
} from "../../emails/index.ts";
import { cfblHeaders, hasCfblField } from "../../feedback/index.ts";
import { resolveTracking, trackHtml } from "../../tracking/index.ts";
import { unsubscribeHeaders } from "../../unsubscribes/index.ts";
import type { ClaimedMail } from "../claim/index.ts";

/** The message cannot be composed, now or later, so the email must not be tried again. */
export class PermanentError extends Error {
  override name = "PermanentError";
}

/** The fields of an email that its composition reads. */
export type MailToCompose = Pick<
  ClaimedMail,
  | "workspaceId"
  | "messageId"
  | "subject"
  | "fromEmail"
  | "fromName"
  | "queuedAt"
  | "source"
  | "settings"
  | "contentLocation"
> & {
  state: Pick<ClaimedMail["state"], "workspace" | "id" | "recipients">;
  content: ContentDocument;
  sender: Pick<ClaimedMail["sender"], "linkHost" | "sandbox">;
};

/** A message without its signature. */
export interface ComposedMail {
  composed: ComposedMessage;
  /** True when it names the address of the service for complaints, whose domain must sign it too (RFC 9477 3.1.3). */
  hasCfblAddress: boolean;
  /** Links that are not tracked because the email has too many. */
  untrackedLinks: number;
  /** R2 reads of its composition and of reading its body twice. */
  objectReads: number;
  /** R2 reads of reading its body once more. */
  readsPerSend: number;
}

/**
 * Composes an email for a server with these capabilities. `links`: the links of an email of the service itself are stored encrypted, and
 * are opened for its recipient only. Throws PermanentError or ComposeError when it can never be composed; any other error may be temporary.
 */
export async function composeMail(
  ctx: MailCtx,
  mail: MailToCompose,
  capabilities: Pick<Capabilities, "smtpUtf8" | "eightBitMime">,
  links: "opened" | "sealed",
): Promise<ComposedMail> {
  const { content, contentLocation: location } = mail;
  if (content.raw) return composeSubmitted(ctx, mail, content.raw);
  const place = contentPlace(mail.workspaceId, location);
  const [tracked, list] = await Promise.all([
    addTracking(ctx, mail, content),
    listHeaders(
      ctx,
      mail,
      content.headers.map(([name]) => name),
    ),
  ]);
  const text = textOf(ctx, content);
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
      headers: [...content.headers, ...list.headers],
      ...markSandbox(ctx, mail, {
        text: links === "opened" ? await openContent(ctx, mail, text) : text,
        html: links === "opened" ? await openContent(ctx, mail, tracked.html) : tracked.html,
      }),
      attachments: content.attachments.map((file) => toAttachmentSource(ctx, place.key, file)),
    },
    capabilities,
  );
  // Neighbouring documents of a batch are read at once, so this counts too many. Each attachment is read to sign the message and again to send it.
  const objectReads = (location.content === null ? 1 : 0) + 2 * content.attachments.length;
  const readsPerSend = content.attachments.length;
  const { hasCfblAddress } = list;
  return { composed, hasCfblAddress, untrackedLinks: tracked.untrackedLinks, objectReads, readsPerSend };
}

/** Returns the text of a content, or one that is made from its HTML. */
function textOf(ctx: MailCtx, { text, html, text_from_html: isMade }: ContentDocument): string | null {
  if (text !== null || html === null || !isMade) return text;
  spendWork(ctx, parsingWork(html.length));
  return textAlternative(html);
}

/** Appends a line to the mail of a test domain, so that its readers do not take it for mail of a customer. */
function markSandbox(
  { settings }: MailCtx,
  { sender: { sandbox } }: Pick<MailToCompose, "sender">,
  { text, html }: Pick<ContentDocument, "text" | "html">,
): Pick<ContentDocument, "text" | "html"> {
  if (!sandbox) return { text, html };
  const line = `Sent from a test domain of ${settings.serviceName}. It reaches only members of the workspace ${sandbox.workspace}.`;
  const [body = "", end = ""] = html?.match(/^(.*)(<\/body.*)$/is)?.slice(1) ?? [html ?? ""];
  return {
    text: text && `${text.trimEnd()}\n\n${line}\n`,
    html: html && `${body}<p style="font:13px sans-serif;color:#5d5953">${escapeHtml(line)}</p>${end}`,
  };
}

/** Bodies smaller than this are held in memory, in bytes, and so are those whose HTML is tracked. */
const MEMORY_BODY = 256 * 1024;
/** Submitted messages from this size on are not tracked, in bytes (docs/contract/smtp.md#bytes-of-a-submitted-message). */
const MAX_TRACKED_BYTES = 2 * 1024 * 1024;

/** Composes a message that was submitted by SMTP. Only its tracked HTML is changed (docs/contract/smtp.md#bytes-of-a-submitted-message). */
async function composeSubmitted(ctx: MailCtx, mail: MailToCompose, submitted: RawContent): Promise<ComposedMail> {
  const { raw, hasCfblAddress } = await addListHeaders(ctx, mail, submitted);
  const stored = rawBodyOf(ctx, contentPlace(mail.workspaceId, mail.contentLocation).key, raw);
  const inline = stored instanceof Uint8Array ? stored : null;
  const size = stored instanceof Uint8Array ? stored.length : stored.size;
  const tracking = resolveTracking(mail.source, mail.settings, mail.content.tracking);
  const isTracked = (tracking.opens || tracking.clicks) && raw.head.length + size < MAX_TRACKED_BYTES;
  const isHeld = isTracked || size < MEMORY_BODY;
  const body =
    stored instanceof Uint8Array
      ? stored
      : isHeld
        ? new Uint8Array(await new Response(await stored.source()).arrayBuffer())
        : null;
  let untrackedLinks = 0;
  const track = async (html: string) => {
    const tracked = await addTracking(ctx, mail, { ...mail.content, html });
    untrackedLinks = tracked.untrackedLinks;
    return tracked.html ?? html;
  };
  const changed = isTracked && body ? await replaceHtml(raw, body, track) : null;
  const composed = changed ? composeRaw({ ...raw, head: changed.head }, changed.body) : composeRaw(raw, body ?? stored);
  return {
    composed,
    hasCfblAddress,
    untrackedLinks,
    objectReads: (mail.contentLocation.content === null ? 1 : 0) + (inline ? 0 : 2),
    readsPerSend: body ? 0 : 1,
  };
}

/** Returns a submitted message with the headers of a list behind its own, if it offers to unsubscribe. */
async function addListHeaders(
  ctx: MailCtx,
  mail: MailToCompose,
  raw: RawContent,
): Promise<{ raw: RawContent; hasCfblAddress: boolean }> {
  const given = parseFields(raw.head).map(({ name }) => name);
  const { headers, hasCfblAddress } = await listHeaders(ctx, mail, given);
  const fields = headers.map(([name, value]) => foldedField(name, value.split(" ")).raw);
  return { raw: { ...raw, head: `${raw.head}${fields.join("")}` }, hasCfblAddress };
}

/** Returns the text or HTML of the message. Emails of the service itself are stored with encrypted links. */
async function openContent(ctx: MailCtx, { source }: MailToCompose, content: string | null): Promise<string | null> {
  return source === "system" && content !== null ? openLinks(ctx.settings.masterKeys, content) : content;
}

/**
 * Returns the List-Unsubscribe headers of bulk and broadcast email, and of single email that asks for them
 * (docs/contract/suppressions.md#unsubscribe), the Feedback-ID by which mailbox providers count its complaints, and the address to
 * which they send them (RFC 9477). `given`: the names of the headers of the caller.
 */
async function listHeaders(
  ctx: MailCtx,
  { source, state, sender }: Pick<MailToCompose, "source" | "state" | "sender">,
  given: readonly string[],
): Promise<{ headers: [string, string][]; hasCfblAddress: boolean }> {
  const offersUnsubscribe = state.recipients.some(({ unsubscribe }) => unsubscribe === true);
  if (!isBulkSource(source) && !offersUnsubscribe) return { headers: [], hasCfblAddress: false };
  const about = { workspace: state.workspace, emailId: state.id, recipient: 0 as const };
  const feedbackId: [string, string][] = given.some((name) => name.toLowerCase() === "feedback-id")
    ? []
    : [["Feedback-ID", feedbackIdOf(ctx, state.workspace, source)]];
  const cfbl = hasCfblField(given) ? [] : await cfblHeaders(ctx, about);
  const list = await unsubscribeHeaders(ctx, about, linkUrl(ctx.settings, sender.linkHost));
  return { headers: [...feedbackId, ...cfbl, ...list], hasCfblAddress: cfbl.length > 0 };
}

/**
 * Returns the workspace, the kind of mail and the service, from the most to the least specific: Gmail counts complaints by each, and
 * wants 5 to 15 characters for the last (https://support.google.com/a/answer/6254652).
 */
const feedbackIdOf = ({ settings }: MailCtx, workspace: number, source: string): string =>
  `:w${workspace}:${source}:${settings.bounceDomain.replace(/[^a-z0-9]/g, "").slice(-15)}`;

/** Adds the tracking pixel and links. With several recipients a hit names none of them, since all get one message. */
async function addTracking(
  ctx: MailCtx,
  mail: MailToCompose,
  { html, tracking }: ContentDocument,
): Promise<{ html: ContentDocument["html"]; untrackedLinks: number }> {
  if (!html) return { html, untrackedLinks: 0 };
  const { workspace, id: emailId, recipients } = mail.state;
  const recipient = recipients.length === 1 ? 0 : "all";
  const url = linkUrl(ctx.settings, mail.sender.linkHost);
  return trackHtml(
    ctx,
    html,
    { workspace, emailId, recipient },
    resolveTracking(mail.source, mail.settings, tracking),
    url,
  );
}

function recipientsOfKind(mail: MailToCompose, kind: RecipientEntry["kind"]) {
  return mail.state.recipients.filter((entry) => entry.kind === kind).map(({ email, name }) => ({ email, name }));
}
