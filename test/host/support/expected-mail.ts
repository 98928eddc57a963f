/** Computes the expected parse result of a message, independently of the code under test. */

import { toBase64 } from "../../../src/lib/bytes.ts";
import type { AttachmentSource, MailboxAddress, MessageInput } from "../../../src/mail/mime/message.ts";
import { BAD_ADDRESSES, type GeneratedFile, type GeneratedMail } from "./hostile-mail.ts";

/** A part as every parser should return it. Texts have LF line ends. */
export interface ExpectedPart {
  type: string;
  children?: ExpectedPart[];
  text?: string;
  /** In base64, which prints shorter and compares faster. */
  bytes?: string;
  filename?: string;
  disposition?: string;
  contentId?: string;
}

/** Returns the error codes that compose() may throw for a message. Empty when it must compose. */
export function expectedErrors(mail: GeneratedMail): Set<string> {
  const errors = new Set<string>();
  if (controls(mail.subject)) errors.add("header_value");
  for (const [name, value] of mail.headers) {
    if (!/^[A-Za-z0-9-]{1,76}$/.test(name) || SERVICE_HEADERS.includes(name.toLowerCase())) errors.add("header_name");
    if (controls(value)) errors.add("header_value");
    if (
      isPlain(value) &&
      value
        .trim()
        .split(/[ \t]+/)
        .some((word, i) => word.length > 997 - (i === 0 ? name.length + 1 : 0))
    ) {
      errors.add("line_too_long");
    }
  }
  for (const box of [mail.from, ...mail.to, ...mail.cc, ...(mail.replyTo ? [mail.replyTo] : [])]) {
    const error = addressError(box.email, mail.smtpUtf8);
    if (error) errors.add(error);
  }
  for (const file of mail.attachments)
    if (file.contentId && !/^[a-z0-9@.]+$/.test(file.contentId)) errors.add("attachment");
  return errors;
}

const SERVICE_HEADERS = ["bcc", "from", "content-type", "dkim-signature", "return-path", "sender"];
function addressError(email: string, smtpUtf8: boolean): string | null {
  if (BAD_ADDRESSES.includes(email)) return "address";
  return !smtpUtf8 && /[^\x00-\x7f].*@/.test(email) ? "smtputf8" : null;
}

function controls(value: string): boolean {
  return [...value].some((c) => c < " " && c !== "\t");
}

function isPlain(value: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(value) && !/=\?[^?]*\?[bq]\?/i.test(value);
}

/** Bidirectional controls, zero-width spaces, soft hyphens and other format controls, except those of region flags. */
const HIDDEN =
  /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]*)[\u{e0020}-\u{e007f}]|[\u00ad\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0001}]/gu;

/** Returns display name and address as a parser must return them. */
function expectedMailbox(box: MailboxAddress): { name: string; address: string } {
  const name = (box.name ?? "")
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, " ")
    .replace(HIDDEN, "")
    .trim();
  const at = box.email.lastIndexOf("@");
  const domain = box.email.slice(at + 1);
  return { name, address: `${box.email.slice(0, at)}@${A_LABELS[domain] ?? domain}` };
}

/** Returns the mailboxes of each address header. */
export function expectedAddresses(mail: GeneratedMail): { [header: string]: { name: string; address: string }[] } {
  const replyTo = mail.replyTo ? [expectedMailbox(mail.replyTo)] : [];
  return {
    from: [expectedMailbox(mail.from)],
    to: mail.to.map(expectedMailbox),
    cc: mail.cc.map(expectedMailbox),
    replyTo,
  };
}

const A_LABELS: Record<string, string> = { "bücher.test": "xn--bcher-kva.test", "例え.test": "xn--r8jz45g.test" };

/** Returns the header names in order, in lower case, and the values of the custom headers. */
export function expectedHeaders(
  mail: MessageInput,
  tree: ExpectedPart,
): { names: string[]; custom: [string, string][] } {
  const custom = mail.headers.map(([name, value]): [string, string] => [
    name,
    value
      .toWellFormed()
      .replace(/[ \t]+/g, " ")
      .replace(/^ | $/g, ""),
  ]);
  const names = ["from", "to"];
  if (mail.cc.length > 0) names.push("cc");
  if (mail.cc.length > 0 && mail.to.length === 0) names.splice(1, 1);
  if (mail.replyTo) names.push("reply-to");
  // Without To and Cc, To is an empty group and follows Reply-To.
  if (mail.cc.length === 0 && mail.to.length === 0) names.push(...names.splice(1, 1));
  names.push(
    "subject",
    "date",
    "message-id",
    ...custom.map(([name]) => name.toLowerCase()),
    "mime-version",
    "content-type",
  );
  if (!tree.children) names.push("content-transfer-encoding");
  return { names, custom };
}

/** Returns the expected part tree. */
export function expectedTree(mail: GeneratedMail): ExpectedPart {
  const html = mail.html !== null && mail.html !== undefined;
  const inline = mail.attachments.filter((f) => html && f.disposition === "inline" && f.contentId);
  const rest = mail.attachments.filter((f) => !inline.includes(f));
  const texts: ExpectedPart[] = [];
  if (typeof mail.text === "string") texts.push({ type: "text/plain", text: lines(mail.text) });
  if (typeof mail.html === "string")
    texts.push(
      singleOrMultipart("multipart/related", [{ type: "text/html", text: lines(mail.html) }, ...inline.map(filePart)]),
    );
  if (texts.length === 0 && rest.length === 0) texts.push({ type: "text/plain", text: "" });
  const body = texts.length > 0 ? [singleOrMultipart("multipart/alternative", texts)] : [];
  const tree = rest.length > 0 ? { type: "multipart/mixed", children: [...body, ...rest.map(filePart)] } : body[0];
  if (!tree) throw new Error("no tree");
  // A single-part message ends its last line even if the text does not; parsers drop that line end.
  if (tree.text !== undefined) tree.text = tree.text.replace(/\n$/, "");
  return tree;
}

function singleOrMultipart(type: string, children: ExpectedPart[]): ExpectedPart {
  return children.length === 1 && children[0] ? children[0] : { type, children };
}

function lines(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, "\n");
}

function filePart(file: GeneratedFile): ExpectedPart {
  const filename = expectedFilename(file.filename);
  const part: ExpectedPart = {
    type: expectedType(file),
    bytes: toBase64(file.bytes),
    filename,
    disposition: file.disposition,
  };
  return file.contentId ? { ...part, contentId: `<${file.contentId}>` } : part;
}

function expectedFilename(filename: string): string {
  const kept = [...filename.toWellFormed().replace(HIDDEN, "")]
    .filter((c) => !/[\p{Cc}\u2028\u2029]/u.test(c))
    .map((c) => ("/\\\u2044\u2215\u29f5\u29f8\ufe68\uff0f\uff3c".includes(c) ? "_" : c))
    .join("");
  return ["", ".", ".."].includes(kept) ? "attachment" : kept;
}

const TYPES = new Map(
  Object.entries({
    "image/png": "image/png",
    "application/pdf": "application/pdf",
    "TEXT/Plain; charset=iso-8859-1": "text/plain",
    'text/csv; header="present"; charset=utf-8': "text/csv",
    "text/html": "text/html",
    'application/x; p="a;b\\"c d"': "application/x",
    [`application/x; long="${"z".repeat(300)}"`]: "application/x",
    "image/png; name=evil.exe": "image/png",
    "image/png;": "image/png",
  }),
);

function expectedType(file: AttachmentSource): string {
  const simple = /^[ \t]*([a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*)[ \t]*;?[ \t]*$/i.exec(
    file.contentType,
  )?.[1];
  if (simple && !/^(?:message|multipart)\//i.test(simple)) return simple.toLowerCase();
  return TYPES.get(file.contentType) ?? "application/octet-stream";
}
