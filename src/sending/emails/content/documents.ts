import { utf8 } from "../../../lib/bytes.ts";
import { ExtractedContent } from "../../../lib/json-extract/content.ts";
import type { Parts } from "../../../lib/liquid/text.ts";
import type { RawContent } from "../../../mail/raw/compose.ts";
import type { Ctx } from "../../../platform/context.ts";
import { fullKey, r2Keys } from "../../../platform/db/r2-keys.ts";
import { repeatObjectCall } from "../../../platform/db/repeat-object-call.ts";
import type { ParsedEmail } from "../send/index.ts";
import { type PersonalRow, readPersonalContent } from "./personalize.ts";
import type { ContentUpload } from "./upload.ts";

/** The range of an attachment or a long text in the R2 object, in bytes. (A stored name: elsewhere `at` is a time.) */
export interface StoredRange {
  at: number;
  size: number;
}

/** The content of an email. */
export interface ContentDocument {
  text: string | null;
  html: string | null;
  headers: [string, string][];
  reply_to: { email: string; name: string | null } | null;
  attachments: ({
    filename: string;
    content_type: string;
    content_id: string | null;
    disposition: "attachment" | "inline";
  } & StoredRange)[];
  /** The To and Cc headers of a retry, which are those of the original. Absent: the recipients of the row. */
  visible?: Record<"to" | "cc", { email: string; name: string | null }[]>;
  /** The email leaves with a text part that is made from its html. */
  text_from_html?: true;
  tracking?: { opens?: boolean | null; clicks?: boolean | null } | null;
  /** The parts of Liquid bodies that emails share; null: the body has placeholders. Absent: both have. */
  liquid?: Record<"html" | "text", Parts | null>;
  /** A message that was submitted by SMTP. The other fields are empty then. */
  raw?: RawContent;
}

/**
 * A content document as it is stored: JSON in an R2 object, behind the attachments and long texts of the email. A long
 * text is stored as UTF-8 outside the document, because it leaves the request while the body is read.
 */
export type StoredDocument = Omit<ContentDocument, "text" | "html"> & {
  text: string | StoredRange | null;
  html: string | StoredRange | null;
};

/** The position of a content document in R2: the object, and offset and size in bytes. */
export interface ContentPlace {
  key: string;
  offset: number;
  size: number;
}

/** Largest document that the row of an email holds, in bytes. */
const INLINE_CONTENT_BYTES = 16 * 1024;

/** A content document that was written to R2, or that goes into the row of its email. */
export interface StoredContent {
  /** Key of the R2 object; null: the document goes into the row. */
  key: string | null;
  /** Position in the object, in bytes. */
  offset: number;
  size: number;
  /** The document, for the row; null: it is in R2. */
  inline: string | null;
}

/**
 * Stores the content of one email. A small document without attachments goes into the row of the email and nothing is
 * written to R2 (offload.ts does that later), unless `isLongWait`: an email that waits for long keeps its row small.
 * Otherwise writes one R2 object: the attachments one after the other, then the document.
 */
export async function putContent(
  upload: ContentUpload,
  email: ParsedEmail,
  isLongWait: boolean,
): Promise<StoredContent> {
  return putStored(upload, await toDocument(upload, email), isLongWait);
}

/** Writes the content of many emails as one R2 object, each document behind its attachments. Keeps the order of `items`. */
export async function putContents<Item extends { email: ParsedEmail }>(
  upload: ContentUpload,
  items: readonly Item[],
): Promise<(Item & { content: StoredContent })[]> {
  const stored: (Item & { content: StoredContent })[] = [];
  for (const item of items) {
    const place = await upload.storeText(JSON.stringify(await toDocument(upload, item.email)));
    stored.push({ ...item, content: { key: upload.key, ...place, inline: null } });
  }
  await upload.finish(new Uint8Array(0));
  return stored;
}

/** Stores one document, as `putContent` does; behind the attachments that the upload holds when there are some. */
export async function putDocument(
  upload: ContentUpload,
  document: ContentDocument,
  isLongWait = false,
): Promise<StoredContent> {
  return putStored(upload, document, isLongWait);
}

async function putStored(upload: ContentUpload, document: StoredDocument, isLongWait: boolean): Promise<StoredContent> {
  const text = JSON.stringify(document);
  const bytes = utf8(text);
  const size = bytes.byteLength;
  const isInline = size <= INLINE_CONTENT_BYTES && !isLongWait && document.attachments.length === 0;
  if (isInline && !hasRanges(document)) return { key: null, offset: 0, size, inline: text };
  const offset = upload.size;
  await upload.finish(bytes);
  return { key: upload.key, offset, size, inline: null };
}

/** Returns whether the html, the text or a submitted body is in R2, outside the document. */
const hasRanges = ({ html, text, raw }: StoredDocument) => isRange(html) || isRange(text) || isRange(raw?.body ?? null);

const isRange = (text: StoredDocument["text"]) => typeof text === "object" && text !== null;

async function toDocument(upload: ContentUpload, email: ParsedEmail): Promise<StoredDocument> {
  const attachments: ContentDocument["attachments"] = [];
  for (const { content, ...file } of email.attachments) {
    attachments.push({ ...file, at: await upload.store(content) });
  }
  return {
    text: await toStoredText(upload, email.text),
    html: await toStoredText(upload, email.html),
    headers: email.headers,
    reply_to: email.replyTo && { email: email.replyTo.email, name: email.replyTo.name },
    attachments,
    ...(email.makesText ? { text_from_html: true } : {}),
    ...(email.tracking ? { tracking: email.tracking } : {}),
  };
}

async function toStoredText(upload: ContentUpload, text: ParsedEmail["text"]): Promise<StoredDocument["text"]> {
  return text instanceof ExtractedContent ? { at: await upload.store(text), size: text.size } : text;
}

/**
 * Returns the content of an email: the document in its row, else that in R2, with its placeholders replaced when emails of
 * a broadcast share it. Returns null when there is none. Throws UnrenderableError for values that it cannot have.
 */
export async function readContent(
  ctx: Ctx,
  workspaceId: string,
  row: Parameters<typeof contentPlace>[1] & { content: string | null } & PersonalRow,
): Promise<ContentDocument | null> {
  if (row.content !== null) return JSON.parse(row.content) as ContentDocument;
  const place = contentPlace(workspaceId, row);
  return row.variables ? readPersonalContent(ctx, place, row, row.variables) : findContent(ctx, place);
}

/** Reads a content document and its long texts. Returns null when the object does not exist. */
export async function findContent(ctx: Ctx, place: ContentPlace): Promise<ContentDocument | null> {
  const range = { offset: place.offset, length: place.size };
  const document = await repeatObjectCall(async () =>
    (await ctx.env.CONTENT.get(place.key, { range }))?.json<StoredDocument>(),
  );
  return document ? toContent(ctx, place.key, document) : null;
}

/** Returns the content of a stored document, with its long texts read from the R2 object `key`. */
export async function toContent(ctx: Ctx, key: string, document: StoredDocument): Promise<ContentDocument> {
  const readText = async (text: StoredDocument["text"]) => {
    if (text === null || typeof text === "string") return text;
    const range = { offset: text.at, length: text.size };
    const bytes = await repeatObjectCall(async () => (await ctx.env.CONTENT.get(key, { range }))?.arrayBuffer());
    // `text()` would remove a byte order mark, which is part of what the caller sent.
    return bytes ? new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes) : null;
  };
  const [text, html] = await Promise.all([readText(document.text), readText(document.html)]);
  return { ...document, text, html };
}

/** Returns the place of an email's content: its own object, unless the row names the object of its batch. */
export function contentPlace(
  workspaceId: string,
  row: { id: string; contentKey: string | null; contentOffset: number; contentSize: number },
): ContentPlace {
  const key = row.contentKey === null ? r2Keys.email(workspaceId, row.id) : fullKey(workspaceId, row.contentKey);
  return { key, offset: row.contentOffset, size: row.contentSize };
}
