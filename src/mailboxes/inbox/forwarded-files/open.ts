import { fromBase64Url } from "../../../lib/bytes.ts";
import { AppError, notFound, requireFound } from "../../../lib/errors.ts";
import { open } from "../../../lib/secret-box.ts";
import type { Ctx } from "../../../platform/context.ts";
import { FILE_PURPOSE, type ForwardedFile } from "../../forwards/index.ts";
import { type AttachmentFile, openAttachment } from "../index.ts";

/** Longest token that is read. */
const MAX_TOKEN = 4096;

/** Opens the file of a link. Throws 404 for a token that is not valid, 410 for one that has expired, 502 as an attachment. */
export async function openForwardedFile(ctx: Ctx, token: string): Promise<AttachmentFile> {
  const { object, part, expiresAt } = await readToken(ctx, token);
  if (expiresAt < ctx.now()) throw new AppError(410, "The link has expired");
  return openAttachment(ctx, { object, parts: [part] }, part.partId);
}

async function readToken({ settings }: Ctx, token: string): Promise<ForwardedFile> {
  const sealed = requireFound(token.length > MAX_TOKEN ? null : fromBase64Url(token), "File");
  const { masterKeys } = settings;
  const bytes = await open(masterKeys, FILE_PURPOSE, FILE_PURPOSE, new TextDecoder().decode(sealed)).catch(() => null);
  if (!bytes) throw notFound("File");
  return JSON.parse(new TextDecoder().decode(bytes)) as ForwardedFile;
}
