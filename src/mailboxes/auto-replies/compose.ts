import { createMimeMessage, type MIMEMessage } from "mimetext/browser";
import { binaryStringToBytes } from "../../lib/bytes.ts";
import { addressField } from "../../mail/mime/addresses.ts";
import { formatDate } from "../../mail/mime/date.ts";
import { ComposeError } from "../../mail/mime/errors.ts";
import { foldedField, type HeaderField, messageIdField, subjectField } from "../../mail/mime/headers.ts";
import type { ComposedMessage, MailboxAddress } from "../../mail/mime/message.ts";
import { encodeText } from "../../mail/mime/text.ts";
import { composeRaw } from "../../mail/raw/compose.ts";

/** An automatic reply. Its texts are any Unicode. */
export interface ReplyContent {
  /** With angle brackets. */
  messageId: string;
  date: Date;
  from: MailboxAddress;
  to: string;
  subject: string;
  /** Message-ID of the email that gets a reply, with angle brackets; null without a usable one. */
  inReplyTo: string | null;
  text: string;
}

/**
 * Composes an automatic reply (RFC 3834 3.1). mimetext puts the parts together. It neither folds nor checks what it is given and
 * writes line breaks of a value as they are, so it gets only fields and a body that are checked and encoded already. Throws
 * ComposeError for an address or a Message-ID that no message can have.
 */
export function composeReply({ messageId, date, from, to, subject, inReplyTo, text }: ReplyContent): ComposedMessage {
  const message = createMimeMessage();
  const fields = [
    foldedField("Date", [formatDate(date)]),
    addressField("From", [from], true),
    addressField("To", [{ email: to }], true),
    messageIdField("Message-ID", messageId),
    subjectField(subject),
    foldedField("Auto-Submitted", ["auto-replied"]),
    ...(inReplyTo === null ? [] : ["In-Reply-To", "References"].map((name) => messageIdField(name, inReplyTo))),
  ];
  for (const field of fields) setField(message, field);
  const body = encodeText(text);
  const data = new TextDecoder().decode(body.bytes);
  message.addMessage({ contentType: "text/plain", charset: "utf-8", encoding: body.encoding, data });
  return split(message.asRaw());
}

/** Lines of printable octets, of which all but the first are folded (RFC 5322 2.2.3). */
const ENCODED = /^[\x21-\x7e\x80-\xff][\x20-\x7e\x80-\xff]*(?:\r\n [\x21-\x7e\x80-\xff][\x20-\x7e\x80-\xff]*)*$/;

/** Sets an encoded field. Throws ComposeError for one that could add another field. */
function setField({ headers }: MIMEMessage, { name, raw }: HeaderField): void {
  const value = raw.slice(name.length + 2, -2);
  if (!ENCODED.test(value)) throw new ComposeError("header_value", name, "the field is not encoded");
  const known = headers.fields.find((field) => field.name === name);
  // mimetext would encode the values of fields that it knows once more, each as one word of any length (RFC 2047 2).
  if (known) Object.assign(known, { value, dump: () => value });
  else headers.set(name, value);
}

/** Splits a message at its first empty line. The last line of the body ends with CRLF. */
function split(raw: string): ComposedMessage {
  const end = raw.indexOf("\r\n\r\n") + 2;
  const body = raw.slice(end + 2);
  const bytes = binaryStringToBytes(body.endsWith("\r\n") ? body : `${body}\r\n`);
  return composeRaw({ head: raw.slice(0, end), isEightBit: false }, bytes);
}
