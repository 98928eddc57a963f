/** Parses header fields (RFC 5322 2.2) from bytes. CRLF, CR and LF each end a line. */

import { toBinaryString } from "../../lib/bytes.ts";
import { decodeHeader } from "../texts/decode-header.ts";
import { readParameters } from "../texts/parameters.ts";

const [TAB, LF, CR, SPACE, COLON] = [0x09, 0x0a, 0x0d, 0x20, 0x3a];

/** Fields of one block, and bytes of one field: those of a header that are kept with a message. The rest is skipped. */
const MAX_FIELDS = 500;
const MAX_FIELD = 65_536;
/** Bytes of a field name. */
const MAX_NAME = 100;

/** Holds the fields of one block, by lower-case name. */
export class Fields {
  readonly #values = new Map<string, string[]>();

  add(name: string, value: string): void {
    const values = this.#values.get(name);
    if (values) values.push(value);
    else this.#values.set(name, [value]);
  }

  /** Returns the first value of a field; null when the field is absent. */
  get(name: string): string | null {
    return this.#values.get(name)?.[0] ?? null;
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** Number of distinct names. */
  get size(): number {
    return this.#values.size;
  }

  entries(): Iterable<[string, readonly string[]]> {
    return this.#values;
  }

  addAll(other: Fields): void {
    for (const [name, values] of other.entries()) for (const value of values) this.add(name, value);
  }
}

/** Returns the index of the next CR or LF from `at` on, or `to`. */
export function lineEnd(bytes: Uint8Array, at: number, to: number): number {
  let end = at;
  while (end < to && bytes[end] !== LF && bytes[end] !== CR) end++;
  return end;
}

/** Returns the index at which the next line begins, given the index at which this line ends. */
export function nextLine(bytes: Uint8Array, end: number, to: number): number {
  if (end >= to) return to;
  return bytes[end] === CR && bytes[end + 1] === LF ? Math.min(end + 2, to) : end + 1;
}

/**
 * Reads the fields from `at` up to the first empty line or `to`. A line that is no field continues the field before it, also without the
 * indent that RFC 5322 2.2.3 requires (some systems strip it). Values are unfolded and trimmed; encoded words are not decoded. `charset` is
 * that of raw text.
 */
export function readFields(
  bytes: Uint8Array,
  at: number,
  to: number,
  charset = "",
): { fields: Fields; bodyAt: number } {
  const fields = new Fields();
  let left = MAX_FIELDS;
  let [from, end, colon] = [at, at, 0];
  const addCurrent = () => {
    if (colon <= 0 || left-- <= 0) return;
    const field = toBinaryString(bytes.subarray(from, Math.min(end, from + MAX_FIELD)));
    const name = field
      .slice(0, colon - from)
      .trimEnd()
      .toLowerCase();
    const value = decodeHeader(field.slice(colon - from + 1), charset);
    fields.add(name, value.replace(/(?:\r\n|\r|\n)[ \t]*/g, " ").trim());
  };
  for (let line = at; line < to; ) {
    const lineTo = lineEnd(bytes, line, to);
    const next = nextLine(bytes, lineTo, to);
    if (lineTo === line) {
      addCurrent();
      return { fields, bodyAt: next };
    }
    const found = colonOf(bytes, line, lineTo);
    if (found > 0) {
      addCurrent();
      [from, colon] = [line, found];
    }
    end = lineTo;
    line = next;
  }
  addCurrent();
  return { fields, bodyAt: to };
}

/** Reads the first block of fields, also after empty lines. */
export function readBlock(bytes: Uint8Array): Fields {
  const at = bytes.findIndex((byte) => byte !== CR && byte !== LF);
  return readFields(bytes, Math.max(at, 0), bytes.length).fields;
}

/** Returns the index of the colon after the field name (RFC 5322 4.5.8 allows white space before it); 0 without one. */
function colonOf(bytes: Uint8Array, line: number, end: number): number {
  let at = line;
  for (; at < end && at - line < MAX_NAME; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === COLON || byte <= SPACE || byte > 126) break;
  }
  const isNamed = at > line;
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
  return isNamed && bytes[at] === COLON && at < end ? at : 0;
}

/** A media type and its parameters (RFC 2045 5.1). Type and parameter names are in lower case. */
export interface ContentType {
  type: string;
  parameters: ReadonlyMap<string, string>;
}

/** Reads a Content-Type. Returns `fallback` without parameters when it is missing or malformed (RFC 2045 5.2). */
export function parseContentType(value: string | null, fallback: string): ContentType {
  const type = /^\s*([!#$&+.^_a-z0-9-]{1,127}\/[!#$&+.^_a-z0-9-]{1,127})/i.exec(value ?? "")?.[1]?.toLowerCase();
  if (type === undefined || value === null) return { type: fallback, parameters: new Map() };
  return { type, parameters: readParameters(value) };
}

/** Bytes that are read from the beginning; parts, multiparts included; nesting depth of multiparts. */
const MAX_BYTES = 1024 * 1024;
const MAX_PARTS = 1000;
const MAX_DEPTH = 10;

/** A part that is not a multipart. An enclosed message is one part. */
export interface Part extends ContentType {
  fields: Fields;
  body: Uint8Array;
  /** `report-type` of the innermost multipart/report that contains it (RFC 6522), in lower case; null outside of one. */
  reportType: string | null;
}

export interface SplitMessage extends ContentType {
  /** Fields of the message itself. */
  fields: Fields;
  parts: readonly Part[];
}

interface Progress {
  raw: Uint8Array;
  parts: Part[];
  remaining: number;
}

const DASH = 0x2d;

/** Splits a message into its parts (RFC 2046) at a bounded cost: views, neither decoded nor copied. Those beyond limits are left out. */
export function splitMessage(raw: Uint8Array): SplitMessage {
  const to = Math.min(raw.length, MAX_BYTES);
  const { fields, bodyAt } = readFields(raw, afterMboxLine(raw, to), to);
  const content = parseContentType(fields.get("content-type"), "text/plain");
  const progress: Progress = { raw, parts: [], remaining: MAX_PARTS };
  addPart(progress, { ...content, fields, body: raw.subarray(bodyAt, to), reportType: null }, 0);
  return { ...content, fields, parts: progress.parts };
}

/** Returns the index at which the header begins: after the `From ` line of an mbox file, if there is one. */
function afterMboxLine(raw: Uint8Array, to: number): number {
  const isMbox = [0x46, 0x72, 0x6f, 0x6d, SPACE].every((byte, i) => raw[i] === byte);
  return isMbox ? nextLine(raw, lineEnd(raw, 0, to), to) : 0;
}

function addPart(progress: Progress, part: Part, depth: number): void {
  if (progress.remaining-- <= 0) return;
  const boundary = part.parameters.get("boundary")?.trimEnd();
  if (!part.type.startsWith("multipart/") || !boundary || depth >= MAX_DEPTH) {
    progress.parts.push(part);
    return;
  }
  const reportType =
    part.type === "multipart/report" ? (part.parameters.get("report-type") ?? "").toLowerCase() : part.reportType;
  const fallback = part.type === "multipart/digest" ? "message/rfc822" : "text/plain";
  let isSplit = false;
  for (const bytes of splitBody(part.body, new TextEncoder().encode(boundary))) {
    isSplit = true;
    if (progress.remaining <= 0) return;
    const { fields, bodyAt } = readFields(bytes, 0, bytes.length);
    const content = parseContentType(fields.get("content-type"), fallback);
    addPart(progress, { ...content, fields, body: bytes.subarray(bodyAt), reportType }, depth + 1);
  }
  // The boundary never appears: the body can only be read as text.
  if (!isSplit) progress.parts.push({ ...part, type: "text/plain", reportType });
}

/** Yields the bytes between the delimiter lines of a multipart (RFC 2046 5.1.1). The closing delimiter may be missing. */
function* splitBody(body: Uint8Array, boundary: Uint8Array): Generator<Uint8Array> {
  let start = -1;
  for (let at = 0; at < body.length; ) {
    const end = lineEnd(body, at, body.length);
    const next = nextLine(body, end, body.length);
    const delimiter = readDelimiter(body, at, end, boundary);
    if (delimiter !== null) {
      if (start >= 0) yield body.subarray(start, at);
      if (delimiter === "close") return;
      start = next;
    }
    at = next;
  }
  if (start >= 0 && start < body.length) yield body.subarray(start);
}

function readDelimiter(body: Uint8Array, at: number, end: number, boundary: Uint8Array): "open" | "close" | null {
  if (body[at] !== DASH || body[at + 1] !== DASH || end - at < boundary.length + 2) return null;
  for (let i = 0; i < boundary.length; i++) if (body[at + 2 + i] !== boundary[i]) return null;
  let rest = at + 2 + boundary.length;
  const closes = body[rest] === DASH && body[rest + 1] === DASH && rest + 1 < end;
  if (closes) rest += 2;
  while (rest < end && (body[rest] === SPACE || body[rest] === TAB)) rest++;
  if (rest < end) return null;
  return closes ? "close" : "open";
}
