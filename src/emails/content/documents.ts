import type { Ctx } from "../../context.ts";
import { r2Keys } from "../../db/r2-keys.ts";
import { concat, utf8 } from "../../lib/bytes.ts";
import type { ParsedEmail } from "../send/index.ts";
import type { ContentUpload } from "./upload.ts";

/**
 * The content of an email as JSON, stored in an R2 object behind its attachments. `at` is the offset of an attachment
 * in the object and `size` its length, both in octets. (A stored name: elsewhere `at` is always a time.)
 */
export interface ContentDocument {
  text: string | null;
  html: string | null;
  headers: [string, string][];
  reply_to: { email: string; name: string | null } | null;
  attachments: {
    filename: string;
    content_type: string;
    content_id: string | null;
    disposition: "attachment" | "inline";
    at: number;
    size: number;
  }[];
  /** The To and Cc headers of a retry, which are those of the original. Absent: the recipients of the row. */
  visible?: Record<"to" | "cc", { email: string; name: string | null }[]>;
  tracking?: { opens?: boolean | null; clicks?: boolean | null } | null;
}

/** The position of a content document in R2: the object, and offset and size in octets. */
export interface ContentPlace {
  key: string;
  offset: number;
  size: number;
}

/** Largest document that the email's row also holds until the email is settled, in octets. */
const INLINE_CONTENT_BYTES = 16 * 1024;

/** The place of a stored document, and the document itself when it is small enough for the email's row. */
export type StoredContent = ContentPlace & { inline: string | null };

/** Writes the content of one email to R2: the attachments one after the other, then the document. */
export async function putContent(upload: ContentUpload, email: ParsedEmail): Promise<StoredContent> {
  return putDocument(upload, await toDocument(upload, email));
}

/** Writes the content of many emails as one R2 object: all attachments, then all documents. Keeps the order of `items`. */
export async function putContents<Item extends { email: ParsedEmail }>(
  upload: ContentUpload,
  items: readonly Item[],
): Promise<(Item & { content: StoredContent })[]> {
  const documents: { item: Item; text: string; octets: Uint8Array }[] = [];
  for (const item of items) {
    const text = JSON.stringify(await toDocument(upload, item.email));
    documents.push({ item, text, octets: utf8(text) });
  }
  let offset = upload.size;
  await upload.finish(concat(documents.map(({ octets }) => octets)));
  return documents.map(({ item, text, octets }) => {
    const content = toStored(upload, offset, text, octets.byteLength);
    offset += octets.byteLength;
    return { ...item, content };
  });
}

/** Writes one document behind the attachments that the upload holds, and completes the object. */
export async function putDocument(upload: ContentUpload, document: ContentDocument): Promise<StoredContent> {
  const text = JSON.stringify(document);
  const octets = utf8(text);
  const offset = upload.size;
  await upload.finish(octets);
  return toStored(upload, offset, text, octets.byteLength);
}

function toStored({ key }: ContentUpload, offset: number, text: string, size: number): StoredContent {
  return { key, offset, size, inline: size <= INLINE_CONTENT_BYTES ? text : null };
}

async function toDocument(upload: ContentUpload, email: ParsedEmail): Promise<ContentDocument> {
  const attachments: ContentDocument["attachments"] = [];
  for (const { content, ...file } of email.attachments) {
    attachments.push({ ...file, at: await upload.store(content) });
  }
  return {
    text: email.text,
    html: email.html,
    headers: email.headers,
    reply_to: email.replyTo && { email: email.replyTo.email, name: email.replyTo.name },
    attachments,
    ...(email.tracking ? { tracking: email.tracking } : {}),
  };
}

/** Reads a content document. Returns null when the object does not exist. */
export async function findContent(ctx: Ctx, place: ContentPlace): Promise<ContentDocument | null> {
  const object = await ctx.env.CONTENT.get(place.key, { range: { offset: place.offset, length: place.size } });
  return object ? object.json<ContentDocument>() : null;
}

/** Returns the place of an email's content: its own object, unless the row names the object of its batch. */
export function contentPlace(
  workspaceId: string,
  row: { id: string; contentKey: string | null; contentOffset: number; contentSize: number },
): ContentPlace {
  return { key: row.contentKey ?? r2Keys.email(workspaceId, row.id), offset: row.contentOffset, size: row.contentSize };
}
