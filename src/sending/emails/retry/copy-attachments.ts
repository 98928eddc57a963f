import type { CallerCtx } from "../../../access/caller.ts";
import { conflict } from "../../../lib/errors.ts";
import type { RawContent } from "../../../mail/raw/compose.ts";
import type { ContentDocument, ContentUpload } from "../content/index.ts";

type Attachments = ContentDocument["attachments"];

/**
 * Copies attachments from the R2 object `key` to the upload, with at most one part in memory. Returns them with their
 * new offsets. Throws 409 when the object was deleted meanwhile; the upload is aborted then.
 */
export async function copyAttachments(
  ctx: CallerCtx,
  upload: ContentUpload,
  key: string,
  attachments: Attachments,
): Promise<Attachments> {
  const copied: Attachments = [];
  try {
    for (const file of attachments) {
      copied.push({ ...file, at: await upload.storeStream(await openRange(ctx, key, file)) });
    }
  } catch (error) {
    await upload.abort();
    throw error;
  }
  return copied;
}

/** Copies the body of a submitted message to the upload when it is in the R2 object `key`. Throws as `copyAttachments` does. */
export async function copyRawBody(
  ctx: CallerCtx,
  upload: ContentUpload,
  key: string,
  raw: RawContent,
): Promise<RawContent> {
  if (typeof raw.body === "string") return raw;
  const { size } = raw.body;
  try {
    return { ...raw, body: { at: await upload.storeStream(await openRange(ctx, key, raw.body)), size } };
  } catch (error) {
    await upload.abort();
    throw error;
  }
}

async function openRange(
  ctx: CallerCtx,
  key: string,
  { at: offset, size }: { at: number; size: number },
): Promise<AsyncIterable<Uint8Array>> {
  // R2 refuses a range of no bytes.
  if (size === 0) return new Blob([]).stream();
  const object = await ctx.env.CONTENT.get(key, { range: { offset, length: size } });
  if (!object) throw conflict("The content of this email is no longer kept");
  return object.body;
}
