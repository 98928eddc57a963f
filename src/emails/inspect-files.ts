import { decodeBase64 } from "../lib/base64-stream.ts";
import { type Issue, invalid } from "./issues.ts";
import { contentIdFault, filenameFault, limits, mediaTypeFault } from "./rules.ts";
import type { AttachmentIn, SendIn } from "./schema.ts";

/** An attachment as the service understands it. */
export interface AttachmentFile {
  filename: string;
  content_type: string;
  content_id: string | null;
  disposition: "attachment" | "inline";
  bytes: Uint8Array;
}

/** The attachments of a request, decoded (specification: Attachment). Adds what is wrong to `issues`. */
export function filesOf(input: SendIn, issues: Issue[]): AttachmentFile[] {
  const entries = input.attachments ?? [];
  if (entries.length > limits.attachments) {
    const error = `An email has at most ${limits.attachments} attachments`;
    issues.push(invalid("content", ["attachments"], error, "too_long"));
  }
  const files = entries.flatMap((entry, index) => fileOf(entry, ["attachments", index], issues) ?? []);
  const total = files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  if (total > limits.attachmentBytes) {
    const error = "Attachments exceed 24 MiB";
    issues.push({ field: "content", status: 413, loc: ["attachments"], type: "too_large", error });
  }
  return files;
}

function fileOf(entry: AttachmentIn, loc: Issue["loc"], issues: Issue[]): AttachmentFile | null {
  const { filename } = entry;
  const contentType = entry.content_type || "application/octet-stream";
  const contentId = entry.content_id || null;
  const refuse = (name: string, fault: string | null) => {
    if (fault) issues.push(invalid("content", [...loc, name], fault));
  };
  refuse("filename", filenameFault(filename));
  refuse("content_type", mediaTypeFault(contentType));
  refuse("content_id", contentId && contentIdFault(contentId));
  const bytes = decodeBase64(entry.content_base64);
  if (!bytes) {
    const error = `Attachment ${loc.at(-1)} is not valid base64 (standard alphabet, padded, no data: prefix)`;
    issues.push({ field: "content", status: 400, loc: [...loc, "content_base64"], type: "base64", error });
    return null;
  }
  return {
    filename,
    content_type: contentType,
    content_id: contentId,
    disposition: entry.disposition ?? (contentId ? "inline" : "attachment"),
    bytes,
  };
}
