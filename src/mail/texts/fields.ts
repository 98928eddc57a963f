/** Parses header fields (RFC 5322 2.2) from bytes. CRLF, CR and LF each end a line. */

import { toBinaryString } from "../../lib/bytes.ts";
import { decodeHeader } from "./decode-header.ts";
import { readParameters } from "./parameters.ts";

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
