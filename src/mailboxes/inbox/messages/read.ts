import { AppError, notFound, requireFound } from "../../../lib/errors.ts";
import { partsShownIn } from "../../../mail/messages/bodies.ts";
import { type HeaderList, readHeader } from "../../../mail/messages/header.ts";
import { readText } from "../../../mail/messages/parse.ts";
import type { MessagePart } from "../../../mail/messages/parts.ts";
import { bounds as messageBounds } from "../../../mail/messages/rules.ts";
import { newBodyDecoder } from "../../../mail/mime/body-decoder.ts";
import { htmlToText, joinTexts } from "../../../mail/texts/text.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { Conversation, StoredMessage } from "../../mailbox-store/index.ts";
import type { ReadableMailbox } from "../open.ts";
import { sanitize } from "../sanitize.ts";
import { wrapText } from "../wrap-text.ts";

/** Encoded bytes of the texts and of the HTML of a message that are shown. */
const SHOWN_BYTES = 2_000_000;

/** The content of a message beyond its record. */
export interface MessageContent {
  headers: HeaderList["fields"];
  /** True when the message has more header fields than these. */
  areHeadersCut: boolean;
  text: string | null;
  html: string | null;
}

/** Returns a message's record. Throws 404. */
export const getMessage = async ({ store }: ReadableMailbox, folder: string, uid: number): Promise<StoredMessage> =>
  requireFound(await store.find(folder, uid), "Message");

/** Opens the conversation of a message. Throws 404. */
export const getConversation = async ({ store }: ReadableMailbox, folder: string, uid: number): Promise<Conversation> =>
  requireFound(await store.openConversation(folder, uid), "Message");

/** Returns whether a message is shown as HTML. */
export const isHtml = ({ parts }: StoredMessage): boolean =>
  partsShownIn(parts, "html").some(({ use }) => use === "html");

/**
 * Reads what is shown of a message: its parts follow each other. HTML is sanitised. Makes at most 41 calls to the object store
 * (`messageBounds.shownParts` of each kind). Throws 502 when it fails.
 */
export async function readContent(ctx: Ctx, message: StoredMessage, withImages: boolean): Promise<MessageContent> {
  const [inText, inHtml] = (["text", "html"] as const).map((view) => partsShownIn(message.parts, view));
  const shown = limitBytes([...new Set([...(inText ?? []), ...(inHtml ?? [])])]);
  const [header, ...texts] = await Promise.all([
    readRange(ctx, message.object, 0, Math.min(message.headerSize, messageBounds.headerBytes)),
    ...shown.map(async ({ part, length }) =>
      readText(await readRange(ctx, message.object, part.at, length), part, length),
    ),
  ]);
  const textOf = new Map(shown.map(({ part }, index) => [part, texts[index] ?? ""]));
  const piecesOf = (parts: readonly MessagePart[] = []) =>
    parts.map((part) => ({ isHtml: part.use === "html", text: textOf.get(part) ?? "" }));
  const { fields, isCut } = readHeader(header);
  const [text, html] = [toText(piecesOf(inText)), toHtml(piecesOf(inHtml), withImages)];
  return { headers: fields, areHeadersCut: isCut, text, html };
}

/** Returns how many bytes of each part are shown, of each type together at most SHOWN_BYTES. */
function limitBytes(parts: readonly MessagePart[]): { part: MessagePart; length: number }[] {
  const left = { text: SHOWN_BYTES, html: SHOWN_BYTES };
  return parts.map((part) => {
    const type = part.use === "html" ? "html" : "text";
    const length = Math.min(part.length, left[type]);
    left[type] -= length;
    return { part, length };
  });
}

type Piece = { isHtml: boolean; text: string };

/** Returns pieces as text, or null when none is plain text: their HTML is shown then. */
function toText(pieces: readonly Piece[]): string | null {
  if (!pieces.some(({ isHtml }) => !isHtml)) return null;
  return joinTexts(pieces.map(({ isHtml, text }) => (isHtml ? htmlToText(text, text.length).trim() : text)));
}

/** Returns pieces as HTML, or null when none is HTML. Each is sanitised alone, so that open markup of one ends with it. */
function toHtml(pieces: readonly Piece[], withImages: boolean): string | null {
  if (!pieces.some(({ isHtml }) => isHtml)) return null;
  return pieces.map(({ isHtml, text }) => sanitize(isHtml ? text : wrapText(text), withImages)).join("\n");
}

async function readRange(ctx: Ctx, key: string, offset: number, length: number): Promise<Uint8Array> {
  // R2 refuses an empty range.
  if (length === 0) return new Uint8Array();
  const object = await openObject(ctx, key, { offset, length });
  return new Uint8Array(await object.arrayBuffer());
}

/** Opens the stored message, or a range of it. Throws 502 when it cannot be read. */
export async function openObject(
  ctx: Ctx,
  key: string,
  range?: { offset: number; length: number },
): Promise<R2ObjectBody> {
  const object = await ctx.env.CONTENT.get(key, range ? { range } : {}).catch((error: unknown) => {
    ctx.log("mailbox.object-failed", { key, error: String(error) });
    return null;
  });
  if (!object) throw new AppError(502, "The stored message cannot be read; try again");
  return object;
}

type AttachmentPlace = Pick<MessagePart, "at" | "length" | "encoding" | "filename" | "contentType" | "partId">;

/** A file of a message, decoded while it is read. */
export interface AttachmentFile {
  filename: string;
  contentType: string;
  body: ReadableStream<Uint8Array>;
}

/** Opens a part of a message. Throws 404 for an unknown part, 502 when the object store fails. */
export async function openAttachment(
  ctx: Ctx,
  message: { object: string; parts: readonly AttachmentPlace[] },
  partId: string,
): Promise<AttachmentFile> {
  const part = message.parts.find((one) => one.partId === partId);
  if (!part) throw notFound("Attachment");
  const file = { filename: part.filename ?? `part-${part.partId}`, contentType: part.contentType };
  if (part.length === 0) return { ...file, body: new Blob([]).stream() };
  const object = await openObject(ctx, message.object, { offset: part.at, length: part.length });
  const decoder = newBodyDecoder(part.encoding);
  const decode = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => controller.enqueue(decoder.push(chunk)),
    flush: (controller) => controller.enqueue(decoder.end()),
  });
  return { ...file, body: object.body.pipeThrough(decode) };
}
