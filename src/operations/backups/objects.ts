import type { Ctx } from "../../platform/context.ts";

/** An object in R2, without its content. */
export interface ObjectEntry {
  key: string;
  size: number;
  etag: string;
  /** Arguments of `put` beside the content, so that the restored object is equal. */
  metadata: Pick<R2PutOptions, "httpMetadata" | "customMetadata">;
}

/** Returns up to 1,000 objects after a cursor, in the order of their keys; `cursor` is null at the end. */
export async function listObjects(
  ctx: Ctx,
  cursor: string | null,
): Promise<{ objects: ObjectEntry[]; cursor: string | null }> {
  const listed = await ctx.env.CONTENT.list({
    include: ["httpMetadata", "customMetadata"],
    ...(cursor === null ? {} : { cursor }),
  });
  const objects = listed.objects.map(({ key, size, etag, httpMetadata, customMetadata }) => ({
    key,
    size,
    etag,
    metadata: { ...(httpMetadata ? { httpMetadata } : {}), ...(customMetadata ? { customMetadata } : {}) },
  }));
  return { objects, cursor: listed.truncated ? listed.cursor : null };
}
