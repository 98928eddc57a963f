import { onOneLine } from "../../lib/text-rules.ts";
import { formatSpec, type ListedMailbox, mailboxesOf } from "../addresses/read-list.ts";
import { readDate } from "../dates/read-date.ts";
import type { MessageStructure } from "../structures/types.ts";
import { decodeEncodedWords } from "../texts/encoded-words.ts";
import type { Fields } from "../texts/fields.ts";
import { decodePart, htmlToText, joinTexts } from "../texts/text.ts";
import type { ShownPart } from "./bodies.ts";
import type { MessagePart } from "./parts.ts";
import { shortenReferences } from "./references.ts";
import { bounds } from "./rules.ts";
import { type BodySink, MessageScanner, type ScannedMessage } from "./scan.ts";

export interface MailAddress {
  /** Empty for a sender without an address. */
  email: string;
  name: string | null;
}

export interface ParsedMessage {
  /** Bytes of the header, with the empty line. */
  headerSize: number;
  /** The header, one character for each byte; null for one that is larger than 64 KiB or has a NUL. */
  header: string | null;
  /** The tree of its parts, with what mail programs ask of them. */
  structure: MessageStructure;
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
  /** Why the message was not parsed completely; null when it was. */
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
    listUnnamedFiles(scanned);
    return {
      headerSize: scanned.bodyAt,
      header: scanned.header,
      structure: scanned.structure,
      messageId: firstId(fields.get("message-id")),
      inReplyTo: firstId(fields.get("in-reply-to")),
      references: idsOf(fields.get("references")),
      from: senderOf(fields),
      to: addressesOf(fields, "to"),
      cc: addressesOf(fields, "cc"),
      bcc: addressesOf(fields, "bcc"),
      replyTo: addressesOf(fields, "reply-to"),
      subject: decodeField(fields.get("subject") ?? "").slice(0, bounds.subjectCharacters),
      date: readDate(fields.get("date") ?? ""),
      fields,
      parts: scanned.parts,
      text: textOf(scanned),
      problem: scanned.problem,
    };
  }
}

/** Parses a message that is in memory. */
export const parseMessage = (raw: Uint8Array): ParsedMessage => new MessageParser({ whole: raw }).end();

/** Parses a message that is read piece by piece. Throws what reading it throws. */
export async function parseChunks(chunks: AsyncIterable<Uint8Array>): Promise<ParsedMessage> {
  const parser = new MessageParser();
  for await (const chunk of chunks) parser.push(chunk);
  return parser.end();
}

/** Decodes the encoded-words of a field (RFC 2047). Control characters become spaces. */
export const decodeField = (value: string): string => onOneLine(decodeEncodedWords(value));

function textOf({ text, html }: ScannedMessage): string {
  const shown = joinTexts(text.map(decodeHead));
  return shown.trim() !== "" ? shown : joinTexts(html.map(decodeHead));
}

function decodeHead({ part, head }: ShownPart): string {
  const text = readText(head, part, bounds.searchBytes);
  return part.use === "html" ? htmlToText(text, bounds.searchBytes).trim() : text;
}

/** Decodes the text of a part, from at most `maxBytes` encoded bytes. */
export function readText(
  body: Uint8Array,
  part: Pick<MessagePart, "encoding" | "charset" | "use">,
  maxBytes: number,
): string {
  return decodePart(body.subarray(0, maxBytes), { ...part, isHtml: part.use === "html" });
}

const CID_URL = /\bcid:([^"'\s<>)]+)/gi;

/** Makes attachments of inline parts that no `cid:` of the HTML names (RFC 2392), since no page would show them. */
function listUnnamedFiles({ parts, html }: ScannedMessage): void {
  const shown = html.filter(({ part }) => part.use === "html");
  const texts = shown.map(({ part, head }) => readText(head, part, bounds.searchBytes));
  const named = new Set(texts.flatMap((text) => [...text.matchAll(CID_URL)].map(([, id]) => id)));
  // The rest of a long HTML may name an image.
  const isCut = shown.some(({ part, head }) => head.length < part.length);
  for (const part of parts)
    if (part.use === "inline" && !named.has(part.contentId ?? "") && !(isCut && part.contentType.startsWith("image/")))
      part.use = "attachment";
}

/**
 * Returns the first sender with an address, else the name of one without it; null when there is neither. A text with an at sign that cannot
 * be read is a name too, also before a sender with an address, since mail programs may show the address in it.
 */
function senderOf(fields: Fields): MailAddress | null {
  const values = fields.all("from");
  const mailboxes = values.flatMap(mailboxesOf);
  const text = values.map(decodeField).find((value) => value.includes("@"));
  const unreadable = text === undefined ? null : { email: "", name: text.slice(0, bounds.nameCharacters) };
  if (unreadable && mailboxes.some(isUnreadable)) return unreadable;
  const senders = toAddresses(mailboxes);
  return senders.find(({ email }) => email !== "") ?? senders[0] ?? unreadable;
}

/** Returns whether a mailbox has no address, but a text that may be taken for one. */
function isUnreadable({ phrase, spec }: ListedMailbox): boolean {
  if (spec !== null && spec.domain !== "") return false;
  const text = phrase ?? spec?.local;
  return text === undefined || decodeField(text).includes("@");
}

const addressesOf = (fields: Fields, name: string) =>
  toAddresses(fields.all(name).flatMap(mailboxesOf)).filter(({ email }) => email !== "");

const toAddresses = (mailboxes: readonly ListedMailbox[]): MailAddress[] =>
  mailboxes
    .slice(0, bounds.addresses)
    .map(({ phrase, comment, spec }) => ({
      email: spec === null || spec.domain === "" ? "" : formatSpec(spec).slice(0, 320),
      name: decodeField(phrase ?? comment ?? "").slice(0, bounds.nameCharacters) || null,
    }))
    .filter(({ email, name }) => email !== "" || name !== null);

const MESSAGE_ID = /<([^<>\s]{1,995})>/g;

const firstId = (value: string | null) => idsOf(value)[0] ?? null;

const idsOf = (value: string | null): string[] =>
  shortenReferences(
    [...(value ?? "").matchAll(MESSAGE_ID)].map(([id]) => id),
    bounds.references,
  );
