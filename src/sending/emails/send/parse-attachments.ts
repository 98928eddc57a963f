import { decodeBase64, inMiB } from "../../../lib/bytes.ts";
import { ExtractedContent } from "../../../lib/json-extract/content.ts";
import { limits } from "../rules.ts";
import type { AttachmentIn, SendIn } from "../schema.ts";
import { contentIdIssue, filenameIssue, mediaTypeIssue } from "./field-rules.ts";
import { type Issue, invalid } from "./issues.ts";

/** An attachment after all checks. */
export interface ParsedAttachment {
  filename: string;
  content_type: string;
  content_id: string | null;
  disposition: "attachment" | "inline";
  /** The decoded bytes, or a reference to those that were uploaded while the request was read. */
  content: Uint8Array | ExtractedContent;
  /** Decoded bytes. */
  size: number;
}

/** Parses and decodes the attachments of a request (docs/contract/emails.md#send-request). Adds issues to `issues`. */
export function parseAttachments(input: SendIn, issues: Issue[]): ParsedAttachment[] {
  const entries = input.attachments ?? [];
  if (entries.length > limits.attachments) {
    const error = `The email has ${entries.length} attachments; the limit is ${limits.attachments}`;
    issues.push(invalid("content", ["attachments"], error, "too_long"));
  }
  const files = entries.flatMap((entry, index) => parseAttachment(entry, ["attachments", index], issues) ?? []);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (total > limits.attachmentBytes) {
    const error = `Attachments exceed ${inMiB(limits.attachmentBytes)}: they are ${total} bytes; the limit is ${limits.attachmentBytes}`;
    issues.push({ field: "content", status: 413, loc: ["attachments"], type: "too_large", error });
  }
  return files;
}

function parseAttachment(entry: AttachmentIn, loc: Issue["loc"], issues: Issue[]): ParsedAttachment | null {
  const { filename } = entry;
  const contentType = entry.content_type || "application/octet-stream";
  const contentId = entry.content_id || null;
  const addIssue = (name: string, issue: string | null) => {
    if (issue) issues.push(invalid("content", [...loc, name], issue));
  };
  addIssue("filename", filenameIssue(filename));
  addIssue("content_type", mediaTypeIssue(contentType));
  addIssue("content_id", contentId && contentIdIssue(contentId));
  const content = decode(entry.content_base64);
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

function decode(content: string | ExtractedContent): Uint8Array | ExtractedContent | null {
  return content instanceof ExtractedContent ? content : decodeBase64(content);
}
