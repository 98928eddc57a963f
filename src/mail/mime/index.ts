/**
 * Composition: what a caller wants to say, as an RFC 5322 message. One code path for small and large mail: sizes are
 * computed, never counted, and files are read from their source each time the body is. What may not be in a message
 * ends in a ComposeError; nothing a caller writes can add a header, a part, an address or a line.
 */
import { concat } from "../../lib/bytes.ts";
import { type AddressField, addressField } from "./addresses.ts";
import { binaryStringToBytes } from "./binary-string.ts";
import { formatDate } from "./date.ts";
import { ComposeError } from "./errors.ts";
import { customField, foldedField, type HeaderField, subjectField } from "./headers.ts";
import type { ComposedMessage, MessageInput, SmtpExtensions } from "./message.ts";
import { type BodySegment, partTree } from "./parts.ts";

export { binaryStringToBytes } from "./binary-string.ts";
export { ComposeError, type ComposeErrorCode } from "./errors.ts";
export type { HeaderField } from "./headers.ts";
export type { AttachmentSource, ComposedMessage, MailboxAddress, MessageInput, SmtpExtensions } from "./message.ts";

/** Bodies below this are kept after the first pass, in octets. */
const MAX_CACHED_BODY = 256 * 1024;

/**
 * Composes a message (RFC 5322, 2045 to 2047, 2231, 2387, 6532). The same input gives the same octets. The body is
 * always 7-bit, so `can.eightBitMime` changes nothing today. Throws ComposeError; attachments are not read here.
 */
export function compose(mail: MessageInput, can: SmtpExtensions): ComposedMessage {
  const tree = partTree(mail);
  const { fields, utf8 } = headerFields(mail, can);
  const segments = mergeSegments(tree.segments);
  const bodySize = segments.reduce((sum, segment) => sum + sizeOf(segment), 0);
  return {
    headers: [...fields, { name: "MIME-Version", raw: "MIME-Version: 1.0\r\n" }, ...tree.fields],
    needsSmtpUtf8: utf8,
    needs8BitMime: false,
    bodySize,
    body: bodyReader(segments, bodySize),
  };
}

function headerFields(mail: MessageInput, can: SmtpExtensions): { fields: HeaderField[]; utf8: boolean } {
  const boxes: AddressField[] = [addressField("From", [mail.from], can.smtpUtf8)];
  if (mail.to.length > 0) boxes.push(addressField("To", mail.to, can.smtpUtf8));
  if (mail.cc.length > 0) boxes.push(addressField("Cc", mail.cc, can.smtpUtf8));
  if (mail.replyTo) boxes.push(addressField("Reply-To", [mail.replyTo], can.smtpUtf8));
  const fields: HeaderField[] = [...boxes];
  // Everybody is a blind copy: some filters dislike mail that names nobody (RFC 5322 3.4, group).
  if (mail.to.length === 0 && mail.cc.length === 0) fields.push(foldedField("To", ["undisclosed-recipients:;"]));
  fields.push(
    subjectField(mail.subject),
    foldedField("Date", [formatDate(mail.date)]),
    foldedField("Message-ID", [checkedMessageId(mail.messageId)]),
    ...mail.headers.map(([name, value]) => customField(name, value)),
  );
  return { fields, utf8: boxes.some((box) => box.utf8) };
}

function checkedMessageId(messageId: string): string {
  if (messageId.length > 500 || !/^<[!#-'*+\-/-9=?A-Z^-~.]+@[!#-'*+\-/-9=?A-Z^-~.[\]:]+>$/.test(messageId)) {
    throw new ComposeError("identity", "message_id", "not a message id");
  }
  return messageId;
}

/** Neighbouring held segments become one, and the last line gets its end. */
function mergeSegments(segments: readonly BodySegment[]): BodySegment[] {
  const out: BodySegment[] = [];
  let held: Uint8Array[] = [];
  const flush = () => {
    const size = held.reduce((sum, part) => sum + part.length, 0);
    if (size > 0) out.push(held.length === 1 && held[0] ? held[0] : concat(held));
    held = [];
  };
  for (const segment of segments) {
    if (segment instanceof Uint8Array) {
      held.push(segment);
    } else {
      flush();
      out.push(segment);
    }
  }
  const last = held.findLast((part) => part.length > 0);
  if (last && last[last.length - 1] !== 10) held.push(binaryStringToBytes("\r\n"));
  flush();
  return out;
}

function sizeOf(segment: BodySegment): number {
  return segment instanceof Uint8Array ? segment.length : segment.size;
}

function bodyReader(
  segments: readonly BodySegment[],
  size: number,
): (reuseBuffer?: boolean) => AsyncIterable<Uint8Array> {
  let memo: Uint8Array | null = null;
  return async function* (reuseBuffer = false) {
    if (memo) {
      yield memo;
    } else if (size > 0 && size < MAX_CACHED_BODY) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of readSegments(segments, false)) chunks.push(chunk);
      memo = concat(chunks);
      yield memo;
    } else {
      yield* readSegments(segments, reuseBuffer);
    }
  };
}

async function* readSegments(segments: readonly BodySegment[], reuseBuffer: boolean): AsyncGenerator<Uint8Array> {
  for (const segment of segments) {
    if (segment instanceof Uint8Array) yield segment;
    else yield* segment.open(reuseBuffer);
  }
}
