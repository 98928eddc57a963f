import { plainText } from "../../mail/texts/text.ts";
import { sanitizeWritten } from "../../mailboxes/inbox/index.ts";
import type { Person } from "../../mailboxes/mailbox-store/index.ts";

/** A file of the form. `ref` is the id of an upload, or names a part of a stored message, which is copied when it is needed. */
export interface FormFile {
  ref: string;
  name: string;
  size: number;
}

/** The fields of the form that writes a message, as text. */
export interface ComposeForm {
  /** The sender: the address of the mailbox or an alias. Empty: that of the mailbox. */
  from: string;
  to: string;
  cc: string;
  bcc: string;
  subject: string;
  text: string;
  /** The text with its formatting. Empty: it is plain text. */
  html: string;
  /** The format in which it is edited. Empty: the one that the person prefers. */
  format: "" | "rich" | "plain";
  /** True when the text with its formatting was too long. The form has it without formatting, and must not be sent or stored so. */
  isTooLong: boolean;
  /** Path of the page that a sent message leads back to. Empty: the inbox. */
  back: string;
  /** Message-ID of the message that is answered. Empty: none. */
  inReplyTo: string;
  /** True when that message was answered before the form was opened, or the person knows it. */
  isAnswered: boolean;
  /** UID of the draft that is edited. Empty: none. */
  draft: string;
  files: FormFile[];
  idempotencyKey: string;
  /** When "Send later" sends it, in ISO 8601. Empty: it was not chosen. */
  sendAt: string;
}

/** Returns an empty form, with the values given. */
export const newForm = (values: Partial<ComposeForm> = {}): ComposeForm => ({
  from: "",
  to: "",
  cc: "",
  bcc: "",
  subject: "",
  text: "",
  html: "",
  format: "",
  isTooLong: false,
  back: "",
  inReplyTo: "",
  isAnswered: false,
  draft: "",
  files: [],
  idempotencyKey: crypto.randomUUID(),
  sendAt: "",
  ...values,
});

/** Reads the fields of a submitted form, but for the time. Of its files only the references are known; the one that a button removes is left out. */
export const readComposeForm = (form: URLSearchParams): ComposeForm => ({
  from: form.get("from") ?? "",
  to: form.get("to") ?? "",
  cc: form.get("cc") ?? "",
  bcc: form.get("bcc") ?? "",
  subject: form.get("subject") ?? "",
  ...readText(form),
  back: form.get("back") ?? "",
  inReplyTo: form.get("in_reply_to") ?? "",
  isAnswered: form.get("answered") === "1",
  draft: /^\d{1,10}$/.test(form.get("draft") ?? "") ? (form.get("draft") ?? "") : "",
  files: form
    .getAll("file")
    .filter((ref) => form.get("action") !== `remove:${ref}`)
    .map((ref) => ({ ref, name: "", size: 0 })),
  idempotencyKey: form.get("idempotency_key") ?? "",
  sendAt: "",
});

/** Returns the text of a form, that of the editor's HTML or of the plain field. HTML beyond MAX_WRITTEN_HTML becomes plain text. */
function readText(form: URLSearchParams): Pick<ComposeForm, "text" | "html" | "format" | "isTooLong"> {
  // Browsers end the lines of a text with CR LF.
  const html = form.get("html")?.replaceAll("\r\n", "\n");
  const plain = { html: "", format: "plain" } as const;
  if (html === undefined)
    return { text: (form.get("text") ?? "").replaceAll("\r\n", "\n"), ...plain, isTooLong: false };
  const safe = sanitizeWritten(html);
  if (safe === null) return { text: plainText(html, html.length), ...plain, isTooLong: true };
  const text = plainText(safe);
  // An editor without text has the markup of an empty line.
  return { text, html: text.trim() === "" ? "" : safe, format: "rich", isTooLong: false };
}

/** Returns what the API takes for a form: `SendIn` without a time, or `DraftIn`. Its files must be uploads. */
export const toMessageInput = (form: ComposeForm) => ({
  from: form.from === "" ? null : form.from,
  to: toAddresses(form.to),
  cc: toAddresses(form.cc),
  bcc: toAddresses(form.bcc),
  subject: form.subject,
  text: form.text === "" ? null : form.text,
  html: form.html === "" ? null : form.html,
  in_reply_to: form.inReplyTo === "" ? null : form.inReplyTo,
  file_ids: form.files.map(({ ref }) => ref),
});

/** Returns the addresses of a field, which are separated by commas, semicolons or line ends. */
export const toAddresses = (text: string) =>
  text
    .split(/[,;\n]/)
    .map((address) => address.trim())
    .filter((address) => address !== "");

/** Returns a person as `Name <address>`, or what there is of it: a sender may have no address. */
export function nameOf({ name, email }: Person): string {
  if (name === null) return email;
  return email === "" ? name : `${name} <${email}>`;
}

const PART = /^part:(\d{1,10}):([\d.]{1,40}):(.{1,255})$/su;

/** Returns the part of a message that a file of the form names, or null for an upload. */
export function readPartRef(ref: string): { uid: string; partId: string; folder: string } | null {
  const [, uid, partId, folder] = PART.exec(ref) ?? [];
  return uid && partId && folder ? { uid, partId, folder } : null;
}
