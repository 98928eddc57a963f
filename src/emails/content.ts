import type { Ctx } from "../context.ts";
import { r2Keys } from "../db/r2-keys.ts";
import { utf8 } from "../lib/bytes.ts";
import type { Checked } from "./check.ts";
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
}

/** Where the content document of an email lies. */
export interface ContentPlace {
  key: string;
  at: number;
  size: number;
}

/** Greatest document that rides in the email's row while it waits to go out, in octets. */
const RIDES_ALONG = 16 * 1024;

/**
 * Writes content to R2 as one object: the attachments one behind the other, then the document. What came with
 * an `upload` is there already, and the object appears now. `copy` is the document when it is a small one.
 */
export async function putContent(
  upload: ContentUpload,
  checked: Checked,
): Promise<ContentPlace & { copy: string | null }> {
  const { input, understood } = checked;
  const attachments: ContentDocument["attachments"] = [];
  for (const { content, ...file } of understood.attachments) {
    attachments.push({ ...file, at: await upload.take(content) });
  }
  const document: ContentDocument = {
    text: input.text || null,
    html: input.html || null,
    headers: Object.entries(input.headers ?? {}),
    reply_to: understood.replyTo && { email: understood.replyTo.email, name: understood.replyTo.name },
    attachments,
  };
  const text = JSON.stringify(document);
  const json = utf8(text);
  const at = upload.size;
  await upload.finish(json);
  const isSmall = json.byteLength <= RIDES_ALONG;
  return { key: upload.key, at, size: json.byteLength, copy: isSmall ? text : null };
}

/** Reads a content document; null when the object is not there. */
export async function findContent(ctx: Ctx, place: ContentPlace): Promise<ContentDocument | null> {
  const object = await ctx.env.CONTENT.get(place.key, { range: { offset: place.at, length: place.size } });
  return object ? object.json<ContentDocument>() : null;
}

/** Where the content of an email row lies: in its own object unless the row names another. */
export function contentPlace(
  workspaceId: string,
  row: { id: string; contentKey: string | null; contentAt: number; contentSize: number },
): ContentPlace {
  return { key: row.contentKey ?? r2Keys.email(workspaceId, row.id), at: row.contentAt, size: row.contentSize };
}
