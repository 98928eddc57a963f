import { toBase64Url, utf8 } from "../../lib/bytes.ts";
import { seal } from "../../lib/secret-box.ts";
import type { MessagePart } from "../../mail/messages/parts.ts";
import type { Ctx } from "../../platform/context.ts";

export const FILE_PURPOSE = "forwarded-file";

/** For how long a link works, in ms (docs/contract/inbound.md#forwards-to-a-url). */
const VALID_MS = 24 * 3_600_000;

type FilePlace = Pick<MessagePart, "at" | "length" | "encoding" | "filename" | "contentType" | "partId">;

/** A file of a forwarded email: the R2 object of the email, and where the file is in it. */
export interface ForwardedFile {
  object: string;
  part: FilePlace;
  /** In ms since 1970. */
  expiresAt: number;
}

/** Returns a URL at which a file of an email can be downloaded for 24 hours, without a credential. It names nothing. */
export async function linkToFile(ctx: Ctx, object: string, part: FilePlace): Promise<string> {
  const { at, length, encoding, filename, contentType, partId } = part;
  const place = { at, length, encoding, filename, contentType, partId };
  const file: ForwardedFile = { object, part: place, expiresAt: ctx.now() + VALID_MS };
  const { masterKeys, publicUrl } = ctx.settings;
  const sealed = await seal(masterKeys, FILE_PURPOSE, FILE_PURPOSE, utf8(JSON.stringify(file)));
  return `${publicUrl}/forwarded-files/${toBase64Url(utf8(sealed))}`;
}
