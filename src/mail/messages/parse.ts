import { type Address, addressParser, decodeWords } from "postal-mime";
import type { Fields } from "../reports/index.ts";
import { decodeWhole } from "./body-decoder.ts";
import type { MessagePart } from "./parts.ts";
import { bounds } from "./rules.ts";
import { type BodySink, MessageScanner, type ScannedMessage, type ShownPart } from "./scan.ts";
import { decodeText, htmlToText } from "./text.ts";

export interface MailAddress {
  email: string;
  name: string | null;
}

export interface ParsedMessage {
  /** Bytes of the header, with the empty line. */
  headerSize: number;
  messageId: string | null;
  inReplyTo: string | null;
  references: string[];
  from: MailAddress | null;
  to: MailAddress[];
  cc: MailAddress[];
  bcc: MailAddress[];
  replyTo: MailAddress[];
  subject: string;
  /** Milliseconds since 1970; null without a valid Date. */
  date: number | null;
  fields: Fields;
  parts: MessagePart[];
  /** The text without markup, cut off at a bound. */
  text: string;
  problem: string | null;
}

/**
 * Parses a received message while it arrives, at a cost that its length bounds (RFC 5322, RFC 2045), in about two MiB of memory. Parts
 * are found, not decoded, except the beginning of the text. Never throws: what cannot be read is left out, and `problem` says so.
 */
export class MessageParser {
  readonly #scanner: MessageScanner;

  /** `body` takes the bytes after the header. */
  constructor(options: { whole?: Uint8Array; body?: BodySink } = {}) {
    this.#scanner = new MessageScanner(options);
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  end(): ParsedMessage {
    const scanned = this.#scanner.end();
    const { fields } = scanned;
    return {
      headerSize: scanned.bodyAt,
      messageId: firstId(fields.get("message-id")),
      inReplyTo: firstId(fields.get("in-reply-to")),
      references: idsOf(fields.get("references")),
      from: addressesOf(fields, "from")[0] ?? null,
      to: addressesOf(fields, "to"),
      cc: addressesOf(fields, "cc"),
      bcc: addressesOf(fields, "bcc"),
      replyTo: addressesOf(fields, "reply-to"),
      subject: decodeField(fields.get("subject") ?? "").slice(0, bounds.subjectCharacters),
      date: parseDate(fields.get("date")),
      fields,
      parts: scanned.parts,
      text: textOf(scanned),
      problem: scanned.problem,
    };
  }
}

/** Parses a message that is in memory. */
export function parseMessage(raw: Uint8Array): ParsedMessage {
  return new MessageParser({ whole: raw }).end();
}

/** Parses a message that is read piece by piece. Throws what reading it throws. */
export async function parseChunks(chunks: AsyncIterable<Uint8Array>): Promise<ParsedMessage> {
  const parser = new MessageParser();
  for await (const chunk of chunks) parser.push(chunk);
  return parser.end();
}

/** Decodes the encoded-words of a field (RFC 2047). Control characters become spaces. */
export function decodeField(value: string): string {
  return decodeWords(value)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
}

function textOf({ text: shownText, html }: ScannedMessage): string {
  const text = shownText ? decodeHead(shownText) : "";
  if (text.trim() !== "" || !html) return text;
  return htmlToText(decodeHead(html), bounds.searchBytes);
}

const decodeHead = ({ part, head }: ShownPart) => readText(head, part, bounds.searchBytes);

/** Decodes the text of a part, from at most `maxBytes` encoded bytes. */
export function readText(body: Uint8Array, part: Pick<MessagePart, "encoding" | "charset">, maxBytes: number): string {
  return decodeText(decodeWhole(body.subarray(0, maxBytes), part.encoding), part.charset);
}

function addressesOf(fields: Fields, name: string): MailAddress[] {
  const found: MailAddress[] = [];
  const visit = (address: Address) => {
    if (found.length >= bounds.addresses) return;
    if (address.group) for (const member of address.group) visit(member);
    else if (address.address)
      found.push({
        email: address.address.slice(0, 320),
        name: decodeField(address.name ?? "").slice(0, bounds.nameCharacters) || null,
      });
  };
  for (const value of fields.all(name).slice(0, bounds.addressFields))
    for (const address of addressParser(value)) visit(address);
  return found;
}

const MESSAGE_ID = /<([^<>\s]{1,995})>/g;

const firstId = (value: string | null) => idsOf(value)[0] ?? null;

function idsOf(value: string | null): string[] {
  return [...(value ?? "").matchAll(MESSAGE_ID)].map(([id]) => id).slice(-100);
}

function parseDate(value: string | null): number | null {
  const time = Date.parse((value ?? "").replace(/\([^()]*\)/g, " ").trim());
  return Number.isNaN(time) || time < 0 ? null : time;
}
