import { isServiceHeader } from "../../../lib/header-rules.ts";
import { type BodySource, inlineBody, type RawContent } from "../../../mail/raw/compose.ts";
import { fieldValue, parseFields } from "../../../mail/raw/fields.ts";
import type { RawPart } from "../../../mail/raw/part-list.ts";
import { readTextPart, textParts } from "../../../mail/raw/text-parts.ts";
import { decodeHeader } from "../../../mail/texts/decode-header.ts";
import type { Ctx, MailCtx } from "../../../platform/context.ts";
import { repeatObjectCall } from "../../../platform/db/repeat-object-call.ts";
import { AttachmentDeletedError } from "./attachment-source.ts";
import type { ContentDocument } from "./documents.ts";

/** Bytes of one text of a submitted message that are read for a response. */
const MAX_TEXT = 8_000_000;

/** Returns a document of a submitted message with its text, HTML and custom headers, read from the R2 object `key`. */
export async function describeRaw(ctx: Ctx, key: string, content: ContentDocument): Promise<ContentDocument> {
  const { raw } = content;
  if (!raw) return content;
  const { text, html } = textParts(raw.parts);
  const body = inlineBody(raw);
  const read = async (part: RawPart | null) => {
    if (!part) return null;
    const size = Math.min(part.size, MAX_TEXT);
    if (body) return readTextPart(part, body.subarray(part.at, part.at + size));
    const at = typeof raw.body === "string" ? 0 : raw.body.at;
    // R2 refuses an empty range.
    if (size === 0) return "";
    const object = await ctx.env.CONTENT.get(key, { range: { offset: at + part.at, length: size } });
    return object && readTextPart(part, new Uint8Array(await object.arrayBuffer()));
  };
  const fields = parseFields(raw.head, true).filter(({ name }) => !isServiceHeader(name));
  const headers = fields.map((field): [string, string] => [
    field.name,
    decodeHeader(fieldValue([field], field.name.toLowerCase()) ?? ""),
  ]);
  return { ...content, headers, text: await read(text), html: await read(html) };
}

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
