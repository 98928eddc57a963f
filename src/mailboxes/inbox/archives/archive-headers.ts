import { utf8 } from "../../../lib/bytes.ts";
import { iso, parseIso } from "../../../lib/time.ts";
import { tryOr } from "../../../lib/try-or.ts";
import type { ExportedMessage } from "../../mailbox-store/index.ts";

/** The state of a message in an archive: header fields of its own before the first byte of the original. */
export interface ArchiveHeaders extends Pick<ExportedMessage, "folder" | "seen" | "flagged" | "answered" | "labels"> {
  /** In ms since 1970. */
  receivedAt: number | null;
}

const FLAGS = ["seen", "flagged", "answered"] as const;
/** The fields of a block are in this order. The last one has the size of the original. */
const [FOLDER, FLAG, LABEL, RECEIVED, SIZE] = ["Folder", "Flags", "Label", "Received", "Size"].map(
  (name) => `X-Mailbox-${name}`,
) as [string, string, string, string, string];
const MAX_BLOCK = 200_000;

/** Returns the block of header fields of a message. `size` is that of the original in bytes. */
export function writeArchiveHeaders(message: Omit<ExportedMessage, "id" | "cursor" | "object" | "from">): Uint8Array {
  const fields = [
    [FOLDER, encodeURIComponent(message.folder)],
    [FLAG, FLAGS.filter((flag) => message[flag]).join(" ") || "none"],
    ...message.labels.map((label) => [LABEL, encodeURIComponent(label.toWellFormed())]),
    [RECEIVED, iso(message.receivedAt)],
    [SIZE, String(message.size)],
  ];
  return utf8(fields.map(([name, value]) => `${name}: ${value}\r\n`).join(""));
}

/**
 * Returns the archive headers of a message, and the original without them. A message without a complete block is
 * returned as it is: only a block at its very beginning counts, so a sender cannot write one.
 */
export function readArchiveHeaders(raw: Uint8Array): { archiveHeaders: ArchiveHeaders | null; original: Uint8Array } {
  const block = BLOCK.exec(new TextDecoder("latin1").decode(raw.subarray(0, MAX_BLOCK)));
  if (!block) return { archiveHeaders: null, original: raw };
  const [text, folder = "", flags = "", labels = "", received = "", size = "0"] = block;
  const archiveHeaders = {
    ...toFlags(flags),
    folder: decode(folder),
    labels: [...labels.matchAll(/: (\S+)\r?\n/g)].map(([, label = ""]) => decode(label)),
    receivedAt: parseIso(received),
  };
  return { archiveHeaders, original: raw.subarray(text.length, text.length + Number(size)) };
}

// The quantifiers follow each other without an overlap, so the time grows with the length of the block only.
const BLOCK = new RegExp(
  `^${FOLDER}: (\\S{1,3000})\\r?\\n${FLAG}: ([a-z ]{1,40})\\r?\\n((?:${LABEL}: \\S{1,3000}\\r?\\n){0,200})${RECEIVED}: (\\S{1,40})\\r?\\n${SIZE}: (\\d{1,9})\\r?\\n`,
);

const toFlags = (flags: string) =>
  Object.fromEntries(FLAGS.map((flag) => [flag, flags.split(" ").includes(flag)])) as Record<
    (typeof FLAGS)[number],
    boolean
  >;

const decode = (text: string) => tryOr(() => decodeURIComponent(text), text);
