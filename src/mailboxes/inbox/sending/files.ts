import type { CallerCtx } from "../../../access/caller.ts";
import { inMiB } from "../../../lib/bytes.ts";
import { AppError, bodyError, tooLarge, unprocessable } from "../../../lib/errors.ts";
import { parseUuid } from "../../../lib/ids.ts";
import type { AttachmentSource } from "../../../mail/mime/message.ts";
import { r2Keys } from "../../../platform/db/r2-keys.ts";
import { emailLimits } from "../../../sending/emails/index.ts";
import { keepResponse, type OpenMailbox, requireUpload } from "../open.ts";

/** Largest file, in bytes: that of all attachments of an email. */
export const MAX_FILE_BYTES = emailLimits.attachmentBytes;

/** A file that was uploaded for a message. */
export interface UploadedFile {
  id: string;
  filename: string;
  contentType: string;
  size: number;
  open(): Promise<ReadableStream<Uint8Array>>;
}

const keyOf = (mailbox: OpenMailbox, id: string) => `${r2Keys.mailbox(mailbox.id)}files/${id}`;

/** Stores a file for messages that are sent within a day. Returns its id. Throws as `requireUpload`. */
export async function uploadFile(
  ctx: CallerCtx,
  mailbox: OpenMailbox,
  bytes: Uint8Array,
  { filename, mediaType }: { filename: string | null; mediaType: string | null },
): Promise<{ id: string }> {
  const response = { id: ctx.newId() };
  const key = keyOf(mailbox, response.id);
  await requireUpload(mailbox, key);
  await ctx.env.CONTENT.put(key, bytes, {
    // Object metadata must be ASCII.
    customMetadata: { filename: encodeURIComponent(toFilename(filename)), contentType: toMediaType(mediaType) },
  });
  return keepResponse(ctx, response);
}

const MAX_NAME_CHARACTERS = 80;

function toFilename(name: string | null): string {
  const safe = (name ?? "")
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029/\\]+/gu, "_")
    .trim();
  const short = Array.from(safe).slice(-MAX_NAME_CHARACTERS).join("");
  return short === "" || /^\.+$/.test(short) ? "file" : short;
}

const toMediaType = (type: string | null) =>
  type !== null && /^[!#$&^.+\w-]{1,100}\/[!#$&^.+\w-]{1,100}$/.test(type) ? type : "application/octet-stream";

/** Returns those of these uploaded files that exist, in their order. */
export async function listFiles(ctx: CallerCtx, mailbox: OpenMailbox, ids: readonly string[]): Promise<UploadedFile[]> {
  const found = await Promise.all(ids.map((id) => findFile(ctx, mailbox, parseUuid(id))));
  return found.filter((file) => file !== null);
}

/** Returns uploaded files. Throws 422 for an id that is unknown or expired, 413 when they exceed 24 MiB together. */
export async function findFiles(ctx: CallerCtx, mailbox: OpenMailbox, ids: readonly string[]): Promise<UploadedFile[]> {
  const found = await Promise.all(ids.map((id) => findFile(ctx, mailbox, parseUuid(id))));
  const errors = found.flatMap((file, index) =>
    file ? [] : [bodyError(["file_ids", index], "There is no uploaded file with this id")],
  );
  if (errors.length > 0) throw unprocessable(errors);
  const files = found.filter((file) => file !== null);
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_FILE_BYTES)
    throw tooLarge(`The files exceed ${inMiB(MAX_FILE_BYTES)}; the limit is ${MAX_FILE_BYTES} bytes`);
  return files;
}

async function findFile(ctx: CallerCtx, mailbox: OpenMailbox, id: string | null): Promise<UploadedFile | null> {
  const key = id && keyOf(mailbox, id);
  const object = key && (await ctx.env.CONTENT.head(key));
  if (!id || !object) return null;
  return {
    id,
    filename: decodeURIComponent(object.customMetadata?.filename ?? "file"),
    contentType: object.customMetadata?.contentType ?? "application/octet-stream",
    size: object.size,
    async open() {
      const content = await ctx.env.CONTENT.get(object.key);
      if (!content) throw new AppError(502, "An uploaded file cannot be read; try again");
      return content.body;
    },
  };
}

/** Returns a file as an attachment of a composed message. */
export function toAttachment({ filename, contentType, size, open }: UploadedFile): AttachmentSource {
  return { filename, contentType, size, disposition: "attachment", open };
}
