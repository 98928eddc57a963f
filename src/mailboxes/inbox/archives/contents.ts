import * as z from "zod";
import { tryOr } from "../../../lib/try-or.ts";
import { mailboxBudgets } from "../../../platform/budgets/objects.ts";
import { type ArchiveContents, nameIssue } from "../../mailbox-store/index.ts";

/** The file of a ZIP archive that lists folders and labels, and the header of the message that did so in mbox files of earlier versions. */
export const CONTENTS_FILE = "mailbox.json";
/** Bytes of a list of folders and labels. One is parsed at once, and takes many times its size while it is. */
export const MAX_CONTENTS_BYTES = 1024 * 1024;
const HEADER =
  "Subject: DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA\r\nX-Mailbox-Contents: 1\r\nContent-Type: application/json\r\n\r\n";

const name = z.string().refine((text) => nameIssue(text) === null);
const Contents = z.object({
  folders: z.array(name).max(mailboxBudgets.folders.rows),
  labels: z.array(z.object({ name, color: z.string().regex(/^#[0-9a-f]{6}$/) })).max(mailboxBudgets.labels.rows),
});

/** Returns folders and labels as JSON. */
export const writeContents = (contents: ArchiveContents): string => JSON.stringify(contents, null, 1);

/** Reads folders and labels. Returns null when they are not valid. */
export const readContents = (bytes: Uint8Array): ArchiveContents | null =>
  tryOr(() => Contents.parse(JSON.parse(new TextDecoder().decode(bytes))), null);

/** Returns the folders and labels of the message of an mbox file that lists them, or null for another or a larger message. */
export function readContentsMessage(raw: Uint8Array): ArchiveContents | null {
  if (raw.length > HEADER.length + MAX_CONTENTS_BYTES) return null;
  const start = new TextDecoder().decode(raw.subarray(0, HEADER.length));
  return start === HEADER ? readContents(raw.subarray(HEADER.length)) : null;
}
