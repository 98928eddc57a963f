/**
 * Composes RFC 5322 messages. Small and large messages take the same code path: sizes are computed before any file is
 * read, and files are read from their source each time the body is read. Content that a message cannot carry ends in
 * a ComposeError. No input can add a header, a part, an address or a line.
 */
import { binaryStringToBytes, concat } from "../../lib/bytes.ts";
import { type AddressField, addressField } from "./addresses.ts";
import { formatDate } from "./date.ts";
import { customField, foldedField, type HeaderField, messageIdField, subjectField } from "./headers.ts";
import type { ComposedMessage, MessageInput, SmtpExtensions } from "./message.ts";
import { type BodySegment, partTree } from "./parts.ts";

const LF = 0x0a;
/** Segments smaller than this are joined, in bytes. Joining larger ones would copy a large body once more. */
const MAX_JOINED_SEGMENT = 64 * 1024;
/** Bodies smaller than this are cached after the first read, in bytes. */
const MAX_CACHED_BODY = 256 * 1024;

/**
 * Composes a message (RFC 5322, 2045 to 2047, 2231, 2387, 6532) for a next hop with these SMTP extensions. The same input gives the same
 * bytes. The body is always 7-bit, so `eightBitMime` has no effect. Reads no attachment. Throws ComposeError.
 */
export function compose(mail: MessageInput, extensions: SmtpExtensions): ComposedMessage {
  const tree = partTree(mail);
  const { fields, utf8 } = headerFields(mail, extensions);
  const segments = mergeSegments(tree.segments);
  const bodySize = segments.reduce((sum, one) => sum + (one instanceof Uint8Array ? one.length : one.size), 0);
  return {
    headers: [...fields, { name: "MIME-Version", raw: "MIME-Version: 1.0\r\n" }, ...tree.fields],
    needsSmtpUtf8: utf8,
    needs8BitMime: false,
    bodySize,
    body: bodyReader(segments, bodySize),
    bodyInMemory: inMemory(segments, bodySize),
  };
}

function headerFields(mail: MessageInput, extensions: SmtpExtensions): { fields: HeaderField[]; utf8: boolean } {
  const addressFields: AddressField[] = [addressField("From", [mail.from], extensions.smtpUtf8)];
  if (mail.to.length > 0) addressFields.push(addressField("To", mail.to, extensions.smtpUtf8));
  if (mail.cc.length > 0) addressFields.push(addressField("Cc", mail.cc, extensions.smtpUtf8));
  if (mail.replyTo) addressFields.push(addressField("Reply-To", [mail.replyTo], extensions.smtpUtf8));
  const fields: HeaderField[] = [...addressFields];
  // All recipients are Bcc. Some filters reject mail without a To header, so it names an empty group (RFC 5322 3.4).
  if (mail.to.length === 0 && mail.cc.length === 0) fields.push(foldedField("To", ["undisclosed-recipients:;"]));
  fields.push(
    subjectField(mail.subject),
    foldedField("Date", [formatDate(mail.date)]),
    messageIdField("Message-ID", mail.messageId),
    ...mail.headers.map(([name, value]) => customField(name, value)),
  );
  return { fields, utf8: addressFields.some((field) => field.utf8) };
}

/** Joins adjacent in-memory segments unless they are large, and ends the last line with CRLF. */
function mergeSegments(segments: readonly BodySegment[]): BodySegment[] {
  const out: BodySegment[] = [];
  let buffers: Uint8Array[] = [];
  const flush = () => {
    const [only] = buffers;
    if (only) out.push(buffers.length === 1 ? only : concat(buffers));
    buffers = [];
  };
  let last: BodySegment | undefined;
  for (const segment of segments) {
    if (segment instanceof Uint8Array && segment.length === 0) continue;
    last = segment;
    if (segment instanceof Uint8Array && segment.length < MAX_JOINED_SEGMENT) {
      buffers.push(segment);
    } else {
      flush();
      out.push(segment);
    }
  }
  if (last instanceof Uint8Array && last[last.length - 1] !== LF) buffers.push(binaryStringToBytes("\r\n"));
  flush();
  return out;
}

/** Returns the body when it is small and all of it is in memory, else null. */
function inMemory(segments: readonly BodySegment[], size: number): Uint8Array | null {
  if (size >= MAX_CACHED_BODY) return null;
  const pieces = segments.filter((segment) => segment instanceof Uint8Array);
  if (pieces.length < segments.length) return null;
  const [only] = pieces;
  return only && pieces.length === 1 ? only : concat(pieces);
}

function bodyReader(segments: readonly BodySegment[], size: number) {
  let cached: Uint8Array | null = null;
  return async function* (reuseBuffer = false) {
    if (cached) {
      yield cached;
    } else if (size > 0 && size < MAX_CACHED_BODY) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of readSegments(segments, false)) chunks.push(chunk);
      cached = concat(chunks);
      yield cached;
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
