import { type BodySource, inlineBody, type RawContent } from "../../../mail/raw/compose.ts";
import type { MailCtx } from "../../../platform/context.ts";
import { repeatObjectCall } from "../../../platform/db/repeat-object-call.ts";
import { AttachmentDeletedError } from "./attachment-source.ts";

/**
 * Returns the body of a submitted message: its bytes when the document has them, otherwise its size and how to read it from the R2
 * object `key`. Reading throws AttachmentDeletedError when the object is gone.
 */
export function rawBodyOf(
  ctx: Pick<MailCtx, "env">,
  key: string,
  raw: RawContent,
): Uint8Array | { size: number; source: BodySource } {
  if (typeof raw.body === "string") return inlineBody(raw) ?? new Uint8Array(0);
  const { at: offset, size } = raw.body;
  const source = async () => {
    // R2 refuses an empty range.
    if (size === 0) return new Blob([]).stream();
    const object = await repeatObjectCall(() => ctx.env.CONTENT.get(key, { range: { offset, length: size } }));
    if (!object) throw new AttachmentDeletedError();
    return object.body;
  };
  return { size, source };
}
