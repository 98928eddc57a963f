import type { MessageContent } from "../inbox/index.ts";
import type { Person, StoredMessage } from "../mailbox-store/index.ts";

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
  idempotencyKey: string;
}

/** Returns an empty form, with the values given. */
export const newForm = (values: Partial<ComposeForm> = {}): ComposeForm => ({
  ...{ to: "", cc: "", bcc: "", subject: "", text: "", inReplyTo: "", draft: "" },
  idempotencyKey: crypto.randomUUID(),
  ...values,
});

/** Reads the fields of a submitted form. */
export const readComposeForm = (form: URLSearchParams): ComposeForm => ({
  to: form.get("to") ?? "",
  cc: form.get("cc") ?? "",
  bcc: form.get("bcc") ?? "",
  subject: form.get("subject") ?? "",
  // Browsers end the lines of a text with CR LF.
  text: (form.get("text") ?? "").replaceAll("\r\n", "\n"),
  inReplyTo: form.get("in_reply_to") ?? "",
  draft: form.get("draft") ?? "",
  idempotencyKey: form.get("idempotency_key") ?? "",
});

/** Returns what the API takes for a form: `SendIn` without a time, or `DraftIn`. */
export const toMessageInput = (form: ComposeForm) => ({
  to: toAddresses(form.to),
  cc: toAddresses(form.cc),
  bcc: toAddresses(form.bcc),
  subject: form.subject,
  text: form.text === "" ? null : form.text,
  in_reply_to: form.inReplyTo === "" ? null : form.inReplyTo,
});

const toAddresses = (text: string) =>
  text
    .split(/[,;\n]/)
    .map((address) => address.trim())
    .filter((address) => address !== "");

/** How a message is answered. */
export type Answer = "one" | "all" | "forward";

/** Returns the form that answers a message of the mailbox with this address. */
export function answerForm(kind: Answer, message: StoredMessage, content: MessageContent, own: string): ComposeForm {
  const text = content.text ?? message.preview;
  const name = (person: Person) => (person.name === null ? person.email : `${person.name} <${person.email}>`);
  if (kind === "forward") {
    const about = [
      "---------- Forwarded message ----------",
      `From: ${message.from ? name(message.from) : ""}`,
      `Date: ${new Date(message.date).toUTCString()}`,
      `Subject: ${message.subject}`,
      `To: ${message.to.map(name).join(", ")}`,
    ];
    return newForm({ subject: prefixed("Fwd", message.subject), text: `\n\n${about.join("\n")}\n\n${text}` });
  }
  const isForeign = ({ email }: Person) => email.toLowerCase() !== own.toLowerCase();
  const from = message.replyTo.length > 0 ? message.replyTo : message.from ? [message.from] : [];
  // An answer to an own message goes to those whom that went to.
  const to = from.some(isForeign) ? from : message.to;
  const others = kind === "all" ? [...message.to, ...message.cc].filter(isForeign) : [];
  const known = new Set(to.map(({ email }) => email.toLowerCase()));
  const cc = others.filter(({ email }) => !known.has(email.toLowerCase()));
  const intro = `On ${new Date(message.date).toUTCString()}, ${message.from ? name(message.from) : "somebody"} wrote:`;
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

const prefixed = (prefix: "Re" | "Fwd", subject: string) =>
  new RegExp(`^${prefix}:`, "i").test(subject) ? subject : `${prefix}: ${subject}`.trim();

/** Returns the form that continues a draft. */
export function draftForm(draft: StoredMessage, content: MessageContent): ComposeForm {
  const join = (people: readonly Person[]) => people.map(({ email }) => email).join(", ");
  return newForm({
    to: join(draft.to),
    cc: join(draft.cc),
    bcc: join(draft.bcc),
    subject: draft.subject,
    text: content.text ?? "",
    inReplyTo: draft.inReplyTo ?? "",
    draft: String(draft.uid),
  });
}
