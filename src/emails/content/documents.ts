import type { Ctx } from "../../context.ts";
import { r2Keys } from "../../db/r2-keys.ts";
import { concat, utf8 } from "../../lib/bytes.ts";
import type { Checked } from "../send/index.ts";
import type { ContentUpload } from "./upload.ts";

/** What an email says, as it lies in R2 behind its attachments. `at` and `size` are octets in the object. */
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
  tracking?: { opens?: boolean | null; clicks?: boolean | null } | null;
}

/** Where the content document of an email lies. */
export interface ContentPlace {
  key: string;
  offset: number;
  size: number;
}

/** Greatest document that rides in the email's row while it waits to go out, in octets. */
const RIDES_ALONG = 16 * 1024;

/** A content document on its way to R2, where it will lie, and itself when it is small enough to ride along. */
export type PutContent = ContentPlace & { copy: string | null };

/**
 * Writes content to R2 as one object: the attachments one behind the other, then the document. What came with
 * an `upload` is there already, and the object appears now. `copy` is the document when it is a small one.
 */
export async function putContent(upload: ContentUpload, checked: Checked): Promise<PutContent> {
  const [place] = await putContents(upload, [checked]);
  if (!place) throw new Error("nothing was put");
  return place;
}

/** The same for many emails in one object: all attachments, then all documents. */
export async function putContents(upload: ContentUpload, checkeds: readonly Checked[]): Promise<PutContent[]> {
  const documents: ContentDocument[] = [];
  for (const checked of checkeds) documents.push(await documentOf(upload, checked));
  return putDocuments(upload, documents);
}

async function putDocuments(upload: ContentUpload, documents: readonly ContentDocument[]): Promise<PutContent[]> {
  const texts = documents.map((document) => JSON.stringify(document));
  const octets = texts.map(utf8);
  let offset = upload.size;
  await upload.finish(concat(octets));
  return octets.map(({ byteLength: size }, index) => {
    const place = { key: upload.key, offset, size, copy: size <= RIDES_ALONG ? (texts[index] ?? null) : null };
    offset += size;
    return place;
  });
}

/** Writes one document behind what the upload has taken, and makes the object appear. */
export async function putDocument(upload: ContentUpload, document: ContentDocument): Promise<PutContent> {
  const [place] = await putDocuments(upload, [document]);
  if (!place) throw new Error("nothing was put");
  return place;
}

async function documentOf(upload: ContentUpload, { input, parsed }: Checked): Promise<ContentDocument> {
  const attachments: ContentDocument["attachments"] = [];
  for (const { content, ...file } of parsed.attachments) {
    attachments.push({ ...file, at: await upload.take(content) });
  }
  return {
    text: input.text || null,
    html: input.html || null,
    headers: Object.entries(input.headers ?? {}),
    reply_to: parsed.replyTo && { email: parsed.replyTo.email, name: parsed.replyTo.name },
    attachments,
    ...(input.tracking ? { tracking: input.tracking } : {}),
  };
}

/** Reads a content document; null when the object is not there. */
export async function findContent(ctx: Ctx, place: ContentPlace): Promise<ContentDocument | null> {
  const object = await ctx.env.CONTENT.get(place.key, { range: { offset: place.offset, length: place.size } });
  return object ? object.json<ContentDocument>() : null;
}

/** Where the content of an email row lies: in its own object unless the row names another. */
export function contentPlace(
  workspaceId: string,
  row: { id: string; contentKey: string | null; contentOffset: number; contentSize: number },
): ContentPlace {
  return { key: row.contentKey ?? r2Keys.email(workspaceId, row.id), offset: row.contentOffset, size: row.contentSize };
}
