import { addressKey } from "../../lib/addresses.ts";
import { textToHtml } from "../../lib/text-to-html.ts";
import type { MessagePart } from "../../mail/messages/parts.ts";
import { htmlToText } from "../../mail/texts/text.ts";
import { type MessageContent, type OpenMailbox, replySender, sanitizeWritten } from "../../mailboxes/inbox/index.ts";
import type { Person, Signature, StoredMessage } from "../../mailboxes/mailbox-store/index.ts";
import { type ComposeForm, type FormFile, nameOf, newForm } from "./compose-form.ts";

/** How a message is answered. */
export type Reply = "one" | "all" | "forward";

/** Returns the form that replies to a message of a mailbox, from the address that it was sent to. The signature is above the message that it quotes. */
export function replyForm(
  kind: Reply,
  { message, content }: { message: StoredMessage; content: MessageContent },
  { mailbox, signature }: { mailbox: Pick<OpenMailbox, "address" | "aliases">; signature: Signature | null },
): ComposeForm {
  const start = signedText(signature);
  const from = replySender(mailbox, message);
  if (kind === "forward")
    return newForm({
      from,
      subject: prefixed("Fwd", message.subject),
      ...quote(start, forwardIntro(message), content, (text) => `\n${text}`),
      files: filesOf(message),
    });
  const intro = `On ${new Date(message.date).toUTCString()}, ${message.from ? nameOf(message.from) : "an unknown sender"} wrote:`;
  return newForm({
    from,
    ...recipientsOf(kind, message, [mailbox.address, ...mailbox.aliases]),
    subject: prefixed("Re", message.subject),
    ...quote(start, [intro], content, quoteLines),
    inReplyTo: message.messageId ?? "",
    isAnswered: message.answered,
  });
}

/** Returns the form of a new message. */
export const emptyForm = (signature: Signature | null, values: Partial<ComposeForm>): ComposeForm =>
  newForm({ ...signedText(signature), ...values });

/** Returns the form that continues a draft: as plain text when its HTML is longer than webmail writes. */
export function draftForm(draft: StoredMessage, content: MessageContent): ComposeForm {
  const html = content.html === null ? null : sanitizeWritten(content.html);
  const join = (people: readonly Person[]) => people.map(({ email }) => email).join(", ");
  return newForm({
    from: draft.from?.email ?? "",
    to: join(draft.to),
    cc: join(draft.cc),
    bcc: join(draft.bcc),
    subject: draft.subject,
    text: textOf(content),
    html: html ?? "",
    format: html === null ? "plain" : "rich",
    files: filesOf(draft),
    inReplyTo: draft.inReplyTo ?? "",
    draft: String(draft.uid),
  });
}

type Written = Pick<ComposeForm, "text" | "html">;

/** Returns an empty line with the signature below it. */
const signedText = (signature: Signature | null): Written =>
  signature === null
    ? { text: "", html: "" }
    : {
        text: `\n\n${signature.text}`,
        html: `<div><br></div><div><br></div>${signature.html ?? textToHtml(signature.text)}`,
      };

/** Characters of the HTML and of the text of a message that a reply quotes. */
const MAX_QUOTED = 200_000;
const CUT_LINE = "[The rest of the message is not quoted.]";

/** Returns a message below the text of a reply. Too long HTML is quoted as its text, too long text as plain text up to MAX_QUOTED. */
function quote(
  start: Written,
  intro: readonly string[],
  content: MessageContent,
  toLines: (text: string) => string,
): Written & Pick<ComposeForm, "format"> {
  const whole = textOf(content);
  const cut = whole.length > MAX_QUOTED ? `${whole.slice(0, MAX_QUOTED).toWellFormed()}\n${CUT_LINE}` : whole;
  const text = `${start.text}\n\n${intro.join("\n")}\n${toLines(cut)}`;
  const html = quotedHtml(content, cut);
  if (html.length > MAX_QUOTED) return { text, html: "", format: "plain" };
  const quoted = `${textToHtml(intro.join("\n"))}<blockquote type="cite">${html}</blockquote>`;
  return { text, html: `${start.html}<div><br></div>${quoted}`, format: "" };
}

/** Returns the HTML of a message, or its text as HTML when that is absent or too long. */
function quotedHtml({ html }: MessageContent, text: string): string {
  const safe = html === null ? "" : (sanitizeWritten(html) ?? "");
  return safe === "" || safe.length > MAX_QUOTED ? textToHtml(text.trimEnd()) : safe;
}

const quoteLines = (text: string) =>
  `${text
    .trimEnd()
    .split("\n")
    .map((line) => (line.startsWith(">") ? `>${line}` : `> ${line}`))
    .join("\n")}\n`;

const forwardIntro = ({ from, date, subject, to }: StoredMessage) => [
  "---------- Forwarded message ----------",
  `From: ${from ? nameOf(from) : ""}`,
  `Date: ${new Date(date).toUTCString()}`,
  `Subject: ${subject}`,
  `To: ${to.map(nameOf).join(", ")}`,
];

/** Returns the people whom a reply goes to. That to an own message goes to those whom the message went to. */
function recipientsOf(kind: Reply, message: StoredMessage, own: readonly string[]): Pick<ComposeForm, "to" | "cc"> {
  const isForeign = ({ email }: Person) => !own.includes(addressKey(email));
  const from = message.replyTo.length > 0 ? message.replyTo : message.from?.email ? [message.from] : [];
  const to = from.length === 0 || from.some(isForeign) ? from : message.to;
  const others = kind === "all" ? [...message.to, ...message.cc].filter(isForeign) : [];
  const known = new Set(to.map(({ email }) => email.toLowerCase()));
  const cc = others.filter(({ email }) => !known.has(email.toLowerCase()));
  return { to: to.map(({ email }) => email).join(", "), cc: [...new Set(cc.map(({ email }) => email))].join(", ") };
}

const prefixed = (prefix: "Re" | "Fwd", subject: string) =>
  new RegExp(`^${prefix}:`, "i").test(subject) ? subject : `${prefix}: ${subject}`.trim();

/** Characters of the text of a message that has HTML alone. */
const MAX_TEXT = 1_000_000;

const textOf = ({ text, html }: MessageContent) => text ?? htmlToText(html ?? "", MAX_TEXT).trim();

const filesOf = ({ folder, uid, parts }: StoredMessage): FormFile[] =>
  parts
    .filter(({ use }) => use === "attachment")
    .map((part: MessagePart) => ({
      ref: `part:${uid}:${part.partId}:${folder}`,
      name: part.filename ?? `part-${part.partId}`,
      size: part.size,
    }));
