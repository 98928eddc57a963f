import { binaryStringToBytes } from "../../lib/bytes.ts";
import { isContentId } from "../../lib/header-rules.ts";
import { cleanFilename } from "../../lib/text-rules.ts";
import { base64Blocks, base64Size } from "./base64.ts";
import { boundaryFor } from "./boundaries.ts";
import { ComposeError } from "./errors.ts";
import type { HeaderField } from "./headers.ts";
import type { AttachmentSource, MessageInput } from "./message.ts";
import { parameterField, parseMediaType } from "./parameters.ts";
import { encodeText } from "./text.ts";

/** A segment of the body: bytes in memory, or a source that is opened for each read. */
export type BodySegment = Uint8Array | { readonly size: number; open(reuseBuffer: boolean): AsyncIterable<Uint8Array> };

/** One MIME entity (RFC 2045 2.4): its header fields and its body. */
export interface Part {
  readonly fields: readonly HeaderField[];
  readonly segments: readonly BodySegment[];
}

/**
 * Returns the part tree of a message: mixed(alternative(text, related(html, inline files…)), files…). A level exists
 * only when it has more than one child (RFC 2046 5.1, RFC 2387). A message without text, HTML and files gets an empty
 * text part. Throws ComposeError `attachment` and `identity`.
 */
export function partTree(mail: MessageInput): Part {
  const html = typeof mail.html === "string";
  const isInline = (file: AttachmentSource) => html && file.disposition === "inline" && Boolean(file.contentId);
  const inline = mail.attachments.filter(isInline);
  const files = mail.attachments.filter((file) => !isInline(file));
  const texts: Part[] = [];
  if (typeof mail.text === "string") texts.push(textPart("plain", mail.text));
  if (typeof mail.html === "string")
    texts.push(singleOrMultipart(mail.id, "related", [textPart("html", mail.html), ...inline.map(filePart)]));
  if (texts.length === 0 && files.length === 0) texts.push(textPart("plain", ""));
  const body = texts.length > 0 ? [singleOrMultipart(mail.id, "alternative", texts)] : [];
  if (files.length === 0 && body[0]) return body[0];
  return multipart(mail.id, "mixed", [...body, ...files.map(filePart)]);
}

function singleOrMultipart(id: string, role: "related" | "alternative", children: readonly Part[]): Part {
  const [only] = children;
  return only && children.length === 1 ? only : multipart(id, role, children);
}

function multipart(id: string, role: "mixed" | "related" | "alternative", children: readonly Part[]): Part {
  const boundary = boundaryFor(id, role);
  // RFC 2387 3.1: `type` is the media type of the root part, which is the first part.
  const type: [string, string][] = role === "related" ? [["type", "text/html"]] : [];
  const segments: BodySegment[] = [];
  children.forEach((child, i) => {
    const fields = child.fields.map((field) => field.raw).join("");
    segments.push(binaryStringToBytes(`${i === 0 ? "" : "\r\n"}--${boundary}\r\n${fields}\r\n`), ...child.segments);
  });
  segments.push(binaryStringToBytes(`\r\n--${boundary}--`));
  return { fields: [parameterField("Content-Type", `multipart/${role}`, [...type, ["boundary", boundary]])], segments };
}

const TEXT_TYPES = {
  plain: parameterField("Content-Type", "text/plain", [["charset", "utf-8"]]),
  html: parameterField("Content-Type", "text/html", [["charset", "utf-8"]]),
};
const TEXT_ENCODINGS = {
  "7bit": parameterField("Content-Transfer-Encoding", "7bit", []),
  "quoted-printable": parameterField("Content-Transfer-Encoding", "quoted-printable", []),
  base64: parameterField("Content-Transfer-Encoding", "base64", []),
};

function textPart(subtype: "plain" | "html", text: string): Part {
  const { encoding, bytes } = encodeText(text);
  return { fields: [TEXT_TYPES[subtype], TEXT_ENCODINGS[encoding]], segments: [bytes] };
}

function filePart(file: AttachmentSource): Part {
  if (!Number.isSafeInteger(file.size) || file.size < 0)
    throw new ComposeError("attachment", "attachments", "the size is not a number of bytes");
  const { type, parameters } = parseMediaType(file.contentType);
  const fields = [
    parameterField("Content-Type", type, parameters),
    parameterField("Content-Transfer-Encoding", "base64", []),
    parameterField("Content-Disposition", file.disposition === "inline" ? "inline" : "attachment", [
      ["filename", cleanFilename(file.filename)],
    ]),
  ];
  if (file.contentId) fields.push(parameterField("Content-ID", `<${checkedContentId(file.contentId)}>`, []));
  return {
    fields,
    segments: [
      {
        size: base64Size(file.size),
        open: (reuseBuffer) => base64Blocks(readAttachment(file), file.size, reuseBuffer),
      },
    ],
  };
}

async function* readAttachment(file: AttachmentSource): AsyncGenerator<Uint8Array> {
  yield* await file.open();
}

function checkedContentId(contentId: string): string {
  if (!isContentId(contentId)) {
    throw new ComposeError("attachment", "content_id", "must be printable ASCII without spaces, quotes or brackets");
  }
  return contentId;
}
