import { inMiB } from "../../lib/bytes.ts";
import { invalidField, tooLarge } from "../../lib/errors.ts";
import { parseUid } from "../../lib/ids.ts";
import { getMessage, listFiles, MAX_FILE_BYTES, openAttachment, uploadFile } from "../../mailboxes/inbox/index.ts";
import { type FormFile, readPartRef } from "./compose-form.ts";
import type { OpenPage } from "./layout.tsx";

/** Stores the files that were chosen in a form, and returns them as files of the form. */
export async function storeChosen(
  { caller, mailbox }: OpenPage,
  chosen: readonly { bytes: Uint8Array; filename: string | null; mediaType: string | null }[],
): Promise<FormFile[]> {
  const stored: FormFile[] = [];
  // One after the other: their bytes are in memory, and those of a request are few.
  for (const file of chosen) {
    const { id } = await uploadFile(caller, mailbox, file.bytes, file);
    stored.push({ ref: id, name: file.filename ?? "file", size: file.bytes.byteLength });
  }
  return stored;
}

/** The files of a form as uploads, and how many of them no longer exist. */
export interface SettledFiles {
  files: FormFile[];
  missing: number;
}

/** Makes every file of a form an upload: parts of stored messages are copied one by one. Throws 413 for more than 24 MiB of them. */
export async function settleFiles(page: OpenPage, files: readonly FormFile[]): Promise<SettledFiles> {
  const ids: string[] = [];
  let copied = 0;
  for (const { ref } of files) {
    const place = readPartRef(ref);
    if (!place) {
      ids.push(ref);
      continue;
    }
    const copy = await copyPart(page, place, MAX_FILE_BYTES - copied);
    if (!copy) continue;
    ids.push(copy.id);
    copied += copy.size;
  }
  const known = await listFiles(page.caller, page.mailbox, ids);
  return {
    files: known.map(({ id, filename, size }) => ({ ref: id, name: filename, size })),
    missing: files.length - known.length,
  };
}

async function copyPart(
  { caller, mailbox }: OpenPage,
  { uid, partId, folder }: { uid: string; partId: string; folder: string },
  maxBytes: number,
): Promise<{ id: string; size: number } | null> {
  const message = await getMessage(mailbox, folder, parseUid(uid)).catch(() => null);
  const part = message?.parts.find((one) => one.partId === partId);
  if (!message || !part) return null;
  if (part.size > maxBytes)
    throw tooLarge(`The files exceed ${inMiB(MAX_FILE_BYTES)}; the limit is ${MAX_FILE_BYTES} bytes`);
  const { body, filename, contentType } = await openAttachment(caller, message, partId);
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  return {
    ...(await uploadFile(caller, mailbox, bytes, { filename, mediaType: contentType })),
    size: bytes.byteLength,
  };
}

/** Throws 422 when files of a form no longer exist. */
export function requireAllFiles({ missing }: SettledFiles): void {
  if (missing === 0) return;
  const msg = `${missing === 1 ? "A file is" : `${missing} files are`} no longer stored. Attach again what is not in the list`;
  throw invalidField("upload", msg);
}
