import { type ContentType, type Fields, lineEnd, parseContentType, readFields } from "../reports/index.ts";
import { bounds, problems } from "./rules.ts";

/** A part that is not a multipart. An enclosed message is one part. */
export interface ScannedPart {
  /** As in IMAP: `1`, `2.1` (RFC 9051 6.4.5). */
  partId: string;
  fields: Fields;
  type: ContentType;
  /** Type of the multipart that contains it, and its position there. Null: the message itself. */
  parent: { type: string; index: number } | null;
  /** The encoded body: raw[at..end). */
  at: number;
  end: number;
}

export interface ScannedMessage {
  fields: Fields;
  /** First byte after the header. */
  bodyAt: number;
  parts: ScannedPart[];
  /** Why parts are missing; null when all are there. */
  problem: string | null;
}

interface OpenMultipart {
  boundary: Uint8Array;
  /** Prefix of the ids of its parts. */
  prefix: string;
  type: string;
  children: number;
}

const [LF, CR, DASH, SPACE, TAB] = [0x0a, 0x0d, 0x2d, 0x20, 0x09];

/**
 * Finds the parts of a message (RFC 2046) in one pass, without decoding or copying them. The work grows with the length of
 * the message only: every line is compared with the open boundaries, of which there are at most 30. Never throws.
 */
export function scanMessage(raw: Uint8Array): ScannedMessage {
  return new Scanner(raw).scan();
}

class Scanner {
  readonly #raw: Uint8Array;
  readonly #open: OpenMultipart[] = [];
  readonly #parts: ScannedPart[] = [];
  #problem: string | null = null;
  #leaf: ScannedPart | null = null;

  /** Index of the last LF: a search for one after it would read to the end each time. */
  readonly #lastLf: number;

  constructor(raw: Uint8Array) {
    this.#raw = raw;
    this.#lastLf = raw.lastIndexOf(LF);
  }

  scan(): ScannedMessage {
    const raw = this.#raw;
    const start = isMbox(raw) ? this.#endOfLine(0) : 0;
    const { fields, bodyAt } = this.#readHeader(start);
    this.#begin(fields, bodyAt, null);
    for (let at = bodyAt; at < raw.length && this.#open.length > 0; ) {
      const end = this.#endOfLine(at);
      const found = raw[at] === DASH && raw[at + 1] === DASH ? this.#findBoundary(at, end) : null;
      at = end;
      if (!found) continue;
      this.#close(found.lineAt);
      this.#open.length = found.closes ? found.level : found.level + 1;
      if (found.closes) continue;
      if (this.#parts.length >= bounds.parts) {
        this.#problem = problems.parts;
        break;
      }
      at = this.#beginPart(end);
    }
    this.#close(raw.length);
    return { fields, bodyAt, parts: this.#parts, problem: this.#problem };
  }

  /** Reads the header of a part of the innermost multipart. Returns the first byte of its body. */
  #beginPart(at: number): number {
    const { fields, bodyAt } = this.#readHeader(at);
    const parent = this.#open.at(-1);
    if (!parent) return bodyAt;
    parent.children += 1;
    this.#begin(fields, bodyAt, parent);
    return bodyAt;
  }

  /** Returns the first byte after the line that contains `at`. LF ends a line, and CR where no LF follows. */
  #endOfLine(at: number): number {
    if (at <= this.#lastLf) return this.#raw.indexOf(LF, at) + 1;
    return Math.min(lineEnd(this.#raw, at, this.#raw.length) + 1, this.#raw.length);
  }

  #begin(fields: Fields, at: number, parent: OpenMultipart | null): void {
    const fallback = parent?.type === "multipart/digest" ? "message/rfc822" : "text/plain";
    const type = parseContentType(fields.get("content-type"), fallback);
    const boundary = type.type.startsWith("multipart/") ? type.parameters.get("boundary")?.trimEnd() : undefined;
    const partId = parent ? `${parent.prefix}${parent.children}` : "1";
    if (boundary) {
      if (this.#open.length < bounds.depth) {
        const prefix = parent ? `${partId}.` : "";
        this.#open.push({ boundary: new TextEncoder().encode(boundary), prefix, type: type.type, children: 0 });
        return;
      }
      this.#problem = problems.depth;
    }
    const place = parent && { type: parent.type, index: parent.children };
    this.#leaf = { partId, fields, type, parent: place, at, end: at };
  }

  /** Ends the leaf that is open before the byte `end`. The line break before a boundary belongs to the boundary. */
  #close(end: number): void {
    if (!this.#leaf) return;
    let to = Math.max(end, this.#leaf.at);
    if (end < this.#raw.length) {
      if (to > this.#leaf.at && this.#raw[to - 1] === LF) to -= 1;
      if (to > this.#leaf.at && this.#raw[to - 1] === CR) to -= 1;
    }
    this.#parts.push({ ...this.#leaf, end: to });
    this.#leaf = null;
  }

  /** Reads a header, up to an empty line or a boundary. A larger one than the bound is cut off. */
  #readHeader(at: number): { fields: Fields; bodyAt: number } {
    const raw = this.#raw;
    let end = at;
    while (end < raw.length) {
      const next = this.#endOfLine(end);
      const isBoundary = raw[end] === DASH && raw[end + 1] === DASH && this.#findBoundary(end, next) !== null;
      // A body can begin without the empty line.
      if (isBoundary) return { fields: this.#fieldsOf(at, end), bodyAt: end };
      const isEmpty = raw[end] === LF || (raw[end] === CR && (next === end + 1 || raw[end + 1] === LF));
      if (isEmpty) return { fields: this.#fieldsOf(at, next), bodyAt: next };
      end = next;
    }
    return { fields: this.#fieldsOf(at, end), bodyAt: end };
  }

  #fieldsOf(at: number, end: number): Fields {
    if (end - at > bounds.headerBytes) this.#problem = problems.header;
    return readFields(this.#raw, at, Math.min(end, at + bounds.headerBytes)).fields;
  }

  /** Returns the level of the open multipart whose delimiter is the line [at, end), innermost first. */
  #findBoundary(at: number, end: number): { level: number; closes: boolean; lineAt: number } | null {
    for (let level = this.#open.length - 1; level >= 0; level--) {
      const kind = matchDelimiter(this.#raw, at + 2, end, this.#open[level]?.boundary ?? new Uint8Array());
      if (kind) return { level, closes: kind === "close", lineAt: at };
    }
    return null;
  }
}

function matchDelimiter(raw: Uint8Array, at: number, end: number, boundary: Uint8Array): "open" | "close" | null {
  if (end - at < boundary.length) return null;
  for (let index = 0; index < boundary.length; index++) if (raw[at + index] !== boundary[index]) return null;
  let rest = at + boundary.length;
  const closes = raw[rest] === DASH && raw[rest + 1] === DASH;
  if (closes) rest += 2;
  while (rest < end && (raw[rest] === SPACE || raw[rest] === TAB || raw[rest] === CR || raw[rest] === LF)) rest++;
  if (rest < end) return null;
  return closes ? "close" : "open";
}

/** Returns whether a message begins with the `From ` line of an mbox file. */
const isMbox = (raw: Uint8Array) => [0x46, 0x72, 0x6f, 0x6d, SPACE].every((byte, index) => raw[index] === byte);
