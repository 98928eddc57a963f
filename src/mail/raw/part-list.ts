import { toBinaryString } from "../../lib/bytes.ts";
import { parseContentType } from "../texts/fields.ts";
import { readParameters } from "../texts/parameters.ts";
import { RawMessageError } from "./errors.ts";
import { fieldValue, parseFields } from "./fields.ts";

/** A part of a message that is not a multipart, by its place. Offsets and sizes are in bytes. */
export interface RawPart {
  type: string;
  charset: string;
  /** Value of Content-Transfer-Encoding in lower case; empty when it is missing. */
  encoding: string;
  /** It has a file name, or is marked as an attachment. */
  isAttachment: boolean;
  /** Inside multipart/signed or multipart/encrypted, whose content must not change. */
  isSealed: boolean;
  /** Offset of its header fields in the body of the message; -1: they are those of the message. */
  fieldsAt: number;
  /** Offset of its content in the body of the message. */
  at: number;
  size: number;
  /** Size after decoding. An upper bound for quoted-printable. */
  decodedSize: number;
}

/** Multiparts and other parts of one message, and nesting of multiparts. More is refused, since reading it is expensive. */
const MAX_PARTS = 1_000;
const MAX_DEPTH = 32;
/** Bytes of the header fields of one part. */
const MAX_PART_HEADER = 64 * 1024;
/** A delimiter line has at most 2 + 70 + 2 characters and white space (RFC 2046 5.1.1). */
const MAX_DELIMITER = 200;

/** Finds the parts of a message while its body is read, line by line. Holds no content. Throws RawMessageError. */
export class PartList {
  readonly parts: RawPart[] = [];
  readonly #open: { boundary: string; isSealed: boolean; isDigest: boolean }[] = [];
  #count = 0;
  #leaf: RawPart | null = null;
  /** Header lines of a part that begins; null elsewhere. */
  #header: { lines: string[]; at: number; bytes: number } | null = null;

  /** Begins with the header fields of the message itself. */
  constructor(head: string) {
    this.#begin(head, -1, 0);
  }

  /** Adds a line of the body with its CRLF. `at` is its offset. */
  add(line: Uint8Array, at: number): void {
    if (this.#open.length > 0 && line[0] === 0x2d && line[1] === 0x2d && line.length < MAX_DELIMITER) {
      if (this.#endsAt(toBinaryString(line).trimEnd(), at, line.length)) return;
    }
    if (this.#header) this.#addHeaderLine(line, at);
    else if (this.#leaf) this.#leaf.decodedSize += decodedBytes(line, this.#leaf.encoding);
  }

  /** Returns the parts when the body has ended after `size` bytes. */
  finish(size: number): RawPart[] {
    if (this.#header) this.#begin(this.#header.lines.join(""), this.#header.at, size);
    this.#endLeaf(size);
    return this.parts;
  }

  /** Handles a line that may be a delimiter. Returns whether it is one. */
  #endsAt(text: string, at: number, length: number): boolean {
    for (let index = this.#open.length - 1; index >= 0; index--) {
      const delimiter = `--${this.#open[index]?.boundary}`;
      const closes = text === `${delimiter}--`;
      if (text !== delimiter && !closes) continue;
      if (this.#header) this.#begin(this.#header.lines.join(""), this.#header.at, at);
      // The CRLF before a delimiter belongs to it (RFC 2046 5.1.1).
      this.#endLeaf(at - 2);
      this.#open.length = closes ? index : index + 1;
      this.#header = closes ? null : { lines: [], at: at + length, bytes: 0 };
      return true;
    }
    return false;
  }

  #addHeaderLine(line: Uint8Array, at: number): void {
    const header = this.#header;
    if (!header) return;
    header.bytes += line.length;
    if (header.bytes > MAX_PART_HEADER) throw new RawMessageError("format", "the header of a part is too long");
    if (line.length > 2) {
      header.lines.push(toBinaryString(line));
      return;
    }
    this.#header = null;
    this.#begin(header.lines.join(""), header.at, at + line.length);
  }

  #begin(head: string, fieldsAt: number, at: number): void {
    this.#header = null;
    this.#count += 1;
    if (this.#count > MAX_PARTS) throw new RawMessageError("format", `the message has more than ${MAX_PARTS} parts`);
    const fields = parseFields(head, true);
    const parent = this.#open.at(-1);
    const fallback = parent?.isDigest ? "message/rfc822" : "text/plain";
    const { type, parameters } = parseContentType(fieldValue(fields, "content-type"), fallback);
    const boundary = parameters.get("boundary")?.trimEnd();
    const isSealed = parent?.isSealed ?? false;
    if (type.startsWith("multipart/") && boundary) {
      if (this.#open.length === MAX_DEPTH) throw new RawMessageError("format", `parts nest deeper than ${MAX_DEPTH}`);
      const seals = type === "multipart/signed" || type === "multipart/encrypted";
      this.#open.push({ boundary, isSealed: isSealed || seals, isDigest: type === "multipart/digest" });
      return;
    }
    const disposition = fieldValue(fields, "content-disposition") ?? "";
    const isNamed = parameters.has("name") || readParameters(disposition).has("filename");
    this.#leaf = {
      type,
      charset: parameters.get("charset") ?? "",
      encoding: (fieldValue(fields, "content-transfer-encoding") ?? "").trim().toLowerCase(),
      isAttachment: isNamed || /^\s*attachment\b/i.test(disposition),
      isSealed,
      fieldsAt,
      at,
      size: 0,
      decodedSize: 0,
    };
  }

  #endLeaf(end: number): void {
    const leaf = this.#leaf;
    this.#leaf = null;
    if (!leaf) return;
    leaf.size = Math.max(0, end - leaf.at);
    if (leaf.encoding === "base64") leaf.decodedSize = Math.floor((leaf.decodedSize * 3) / 4);
    this.parts.push(leaf);
  }
}

/** Returns the bytes of a line after decoding; of base64 its characters, four of which become three bytes. */
function decodedBytes(line: Uint8Array, encoding: string): number {
  if (encoding === "base64") {
    let end = line.length - 2;
    while (end > 0 && line[end - 1] === 0x3d) end--;
    return end;
  }
  if (encoding !== "quoted-printable") return line.length;
  let bytes = line.length;
  for (let at = line.indexOf(0x3d); at >= 0; at = line.indexOf(0x3d, at + 1)) bytes -= at === line.length - 3 ? 3 : 2;
  return bytes;
}
