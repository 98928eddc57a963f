import { htmlToText } from "../../mail/messages/index.ts";
import type { MessageContent } from "../../mailboxes/inbox/index.ts";
import type { PartPlace, Person, StoredMessage } from "../../mailboxes/mailbox-store/index.ts";

/** A file of the form. `ref` is the id of an upload, or names a part of a stored message, which is copied when it is needed. */
export interface FormFile {
  ref: string;
  name: string;
  size: number;
}

/** The fields of the form that writes a message, as text. */
export interface ComposeForm {
  to: string;
  cc: string;
  bcc: string;
  subject: string;
  text: string;
  /** Message-ID of the message that is answered. Empty: none. */
  inReplyTo: string;
  /** UID of the draft that is edited. Empty: none. */
  draft: string;
  files: FormFile[];
  idempotencyKey: string;
}

/** Returns an empty form, with the values given. */
export const newForm = (values: Partial<ComposeForm> = {}): ComposeForm => ({
  ...{ to: "", cc: "", bcc: "", subject: "", text: "", inReplyTo: "", draft: "", files: [] },
  idempotencyKey: crypto.randomUUID(),
  ...values,
});

/** Reads the fields of a submitted form. Of its files only the references are known. */
export const readComposeForm = (form: URLSearchParams): ComposeForm => ({
  to: form.get("to") ?? "",
  cc: form.get("cc") ?? "",
  bcc: form.get("bcc") ?? "",
  subject: form.get("subject") ?? "",
  // Browsers end the lines of a text with CR LF.
  text: (form.get("text") ?? "").replaceAll("\r\n", "\n"),
  inReplyTo: form.get("in_reply_to") ?? "",
  draft: /^\d{1,10}$/.test(form.get("draft") ?? "") ? (form.get("draft") ?? "") : "",
  files: form.getAll("file").map((ref) => ({ ref, name: "", size: 0 })),
  idempotencyKey: form.get("idempotency_key") ?? "",
});

/** Returns what the API takes for a form: `SendIn` without a time, or `DraftIn`. Its files must be uploads. */
export const toMessageInput = (form: ComposeForm) => ({
  to: toAddresses(form.to),
  cc: toAddresses(form.cc),
  bcc: toAddresses(form.bcc),
  subject: form.subject,
  text: form.text === "" ? null : form.text,
  in_reply_to: form.inReplyTo === "" ? null : form.inReplyTo,
  file_ids: form.files.map(({ ref }) => ref),
});

/** Returns the addresses of a field, which are separated by commas, semicolons or line ends. */
export const toAddresses = (text: string) =>
  text
    .split(/[,;\n]/)
    .map((address) => address.trim())
    .filter((address) => address !== "");

/** How a message is answered. */
export type Reply = "one" | "all" | "forward";

/** Returns the form that replies to a message of the mailbox with this address. */
export function replyForm(kind: Reply, message: StoredMessage, content: MessageContent, own: string): ComposeForm {
  const text = textOf(content);
  if (kind === "forward") {
    const about = [
      "---------- Forwarded message ----------",
      `From: ${message.from ? nameOf(message.from) : ""}`,
      `Date: ${new Date(message.date).toUTCString()}`,
      `Subject: ${message.subject}`,
      `To: ${message.to.map(nameOf).join(", ")}`,
    ];
    return newForm({
      subject: prefixed("Fwd", message.subject),
      text: `\n\n${about.join("\n")}\n\n${text}`,
      files: filesOf(message),
    });
  }
  const isForeign = ({ email }: Person) => email.toLowerCase() !== own.toLowerCase();
  const from = message.replyTo.length > 0 ? message.replyTo : message.from?.email ? [message.from] : [];
  // A reply to an own message goes to those whom that went to.
  const to = from.length === 0 || from.some(isForeign) ? from : message.to;
  const others = kind === "all" ? [...message.to, ...message.cc].filter(isForeign) : [];
  const known = new Set(to.map(({ email }) => email.toLowerCase()));
  const cc = others.filter(({ email }) => !known.has(email.toLowerCase()));
  const intro = `On ${new Date(message.date).toUTCString()}, ${message.from ? nameOf(message.from) : "an unknown sender"} wrote:`;
  const quoted = text
    .trimEnd()
    .split("\n")
    .map((line) => (line.startsWith(">") ? `>${line}` : `> ${line}`));
  return newForm({
    to: to.map(({ email }) => email).join(", "),
    cc: [...new Set(cc.map(({ email }) => email))].join(", "),
    subject: prefixed("Re", message.subject),
    text: `\n\n${intro}\n${quoted.join("\n")}\n`,
    inReplyTo: message.messageId ?? "",
  });
}

/** Returns a person as `Name <address>`, or what there is of it: a sender may have no address. */
export function nameOf({ name, email }: Person): string {
  if (name === null) return email;
  return email === "" ? name : `${name} <${email}>`;
}

const prefixed = (prefix: "Re" | "Fwd", subject: string) =>
  new RegExp(`^${prefix}:`, "i").test(subject) ? subject : `${prefix}: ${subject}`.trim();

/** Characters of the text of a message without a text part that a reply quotes. */
const MAX_QUOTED = 100_000;

const textOf = ({ text, html }: MessageContent) => text ?? htmlToText(html ?? "", MAX_QUOTED).trim();

const PART = /^part:(\d{1,10}):([\d.]{1,40}):(.{1,255})$/su;

/** Returns the files of a message as files of the form. */
const filesOf = ({ folder, uid, parts }: StoredMessage): FormFile[] =>
  parts
    .filter(({ use }) => use === "attachment")
    .map((part: PartPlace) => ({
      ref: `part:${uid}:${part.partId}:${folder}`,
      name: part.filename ?? `part-${part.partId}`,
      size: part.size,
    }));

/** Returns the part of a message that a file of the form names, or null for an upload. */
export function readPartRef(ref: string): { uid: string; partId: string; folder: string } | null {
  const [, uid, partId, folder] = PART.exec(ref) ?? [];
  return uid && partId && folder ? { uid, partId, folder } : null;
}

/** Returns the form that continues a draft. */
export function draftForm(draft: StoredMessage, content: MessageContent): ComposeForm {
  const join = (people: readonly Person[]) => people.map(({ email }) => email).join(", ");
  return newForm({
    to: join(draft.to),
    cc: join(draft.cc),
    bcc: join(draft.bcc),
    subject: draft.subject,
    text: textOf(content),
    files: filesOf(draft),
    inReplyTo: draft.inReplyTo ?? "",
    draft: String(draft.uid),
  });
}
