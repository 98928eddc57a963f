import { decodeBase64 } from "../../lib/base64-stream.ts";
import { ExtractedContent } from "../../lib/json-extract/content.ts";
import { limits } from "../rules.ts";
import type { AttachmentIn, SendIn } from "../schema.ts";
import { contentIdFault, filenameFault, mediaTypeFault } from "./field-rules.ts";
import { type Issue, invalid } from "./issues.ts";

/** An attachment as the service understands it. */
export interface AttachmentFile {
  filename: string;
  content_type: string;
  content_id: string | null;
  disposition: "attachment" | "inline";
  /** Decoded octets, or what says where in an upload they went while the request was read. */
  content: Uint8Array | ExtractedContent;
  size: number;
}

/** The attachments of a request, decoded (specification: Attachment). Adds what is wrong to `issues`. */
export function filesOf(input: SendIn, issues: Issue[]): AttachmentFile[] {
  const entries = input.attachments ?? [];
  if (entries.length > limits.attachments) {
    const error = `An email has at most ${limits.attachments} attachments`;
    issues.push(invalid("content", ["attachments"], error, "too_long"));
  }
  const files = entries.flatMap((entry, index) => fileOf(entry, ["attachments", index], issues) ?? []);
  const total = files.reduce((sum, { size }) => sum + size, 0);
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
  const content = decoded(entry.content_base64);
  if (!content) {
    const error = `Attachment ${loc.at(-1)} is not valid base64 (standard alphabet, padded, no data: prefix)`;
    issues.push({ field: "content", status: 400, loc: [...loc, "content_base64"], type: "base64", error });
    return null;
  }
  return {
    filename,
    content_type: contentType,
    content_id: contentId,
    disposition: entry.disposition ?? (contentId ? "inline" : "attachment"),
    content,
    size: content instanceof ExtractedContent ? content.size : content.byteLength,
  };
}

function decoded(content: string | ExtractedContent): Uint8Array | ExtractedContent | null {
  return content instanceof ExtractedContent ? content : decodeBase64(content);
}
