import { AppError, notFound } from "../../../lib/errors.ts";
import { messageBounds, newBodyDecoder, readHeader, readText } from "../../../mail/messages/index.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { PartPlace, StoredMessage } from "../../mailbox-store/index.ts";
import type { OpenMailbox } from "../open.ts";
import { sanitize } from "../sanitize.ts";

/** Encoded bytes of the text and of the HTML of a message that are shown. */
const SHOWN_BYTES = 2_000_000;

/** The content of a message beyond its record. */
export interface MessageContent {
  headers: { name: string; value: string }[];
  text: string | null;
  html: string | null;
}

/** Returns a message's record. `uid` is the text of a path. Throws 404. */
export async function getMessage({ store }: OpenMailbox, folder: string, uid: string): Promise<StoredMessage> {
  const message = /^[1-9]\d{0,9}$/.test(uid) ? await store.find(folder, Number(uid)) : null;
  if (!message) throw notFound("Message");
  return message;
}

/** Reads what is shown of a message. Its HTML is sanitised. Throws 502 when the object store fails. */
export async function readContent(ctx: Ctx, message: StoredMessage, withImages: boolean): Promise<MessageContent> {
  const partOf = (use: PartPlace["use"]) => message.parts.find((part) => part.use === use);
  const [header, text, html] = await Promise.all([
    readRange(ctx, message.object, 0, Math.min(message.headerSize, messageBounds.headerBytes)),
    readShown(ctx, message, partOf("text")),
    readShown(ctx, message, partOf("html")),
  ]);
  return { headers: readHeader(header), text, html: html === null ? null : sanitize(html, withImages) };
}

async function readShown(ctx: Ctx, { object }: StoredMessage, part: PartPlace | undefined): Promise<string | null> {
  if (!part) return null;
  const length = Math.min(part.length, SHOWN_BYTES);
  return readText(await readRange(ctx, object, part.at, length), part, length);
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

type AttachmentPlace = Pick<PartPlace, "at" | "length" | "encoding" | "filename" | "contentType" | "partId">;

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
