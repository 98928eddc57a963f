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
  /** The multipart as a part, which it is when no boundary follows. */
  self: ScannedPart;
  boundary: Uint8Array;
  /** Prefix of the ids of its parts. */
  prefix: string;
  type: string;
  children: number;
}

const SHORT_LINE = 100;
const [LF, CR, DASH, SPACE, TAB] = [0x0a, 0x0d, 0x2d, 0x20, 0x09];

/**
 * Finds the parts of a message (RFC 2046) in one pass, without decoding or copying them. The work grows with the length of
 * the message only. Never throws.
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
  /** Levels of the open multiparts by the hash of their boundaries, innermost first, and the longest boundary. */
  readonly #levels = new Map<number, number[]>();
  #longest = 0;

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
    for (let at = bodyAt; this.#open.length > 0; ) {
      at = this.#nextDashes(at);
      if (at >= raw.length) break;
      const end = this.#endOfLine(at);
      const found = this.#findBoundary(at, end);
      at = end;
      if (!found) continue;
      this.#close(found.lineAt);
      this.#closeMultiparts(found.closes ? found.level : found.level + 1, found.lineAt);
      if (found.closes) continue;
      if (this.#parts.length >= bounds.parts) {
        this.#problem = problems.parts;
        break;
      }
      at = this.#beginPart(end);
    }
    this.#close(raw.length);
    this.#closeMultiparts(0, raw.length);
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

  /** Returns the first line from the line at `at` on that begins with `--`, or the end. Bytes are faster than lines here. */
  #nextDashes(at: number): number {
    const raw = this.#raw;
    if (raw[at] === DASH && raw[at + 1] === DASH) return at;
    for (let end = at; end < raw.length; end++) {
      const isEnd = raw[end] === LF || (raw[end] === CR && end > this.#lastLf);
      if (isEnd && raw[end + 1] === DASH && raw[end + 2] === DASH) return end + 1;
    }
    return raw.length;
  }

  /** Returns the next line that may end a header beyond its bound: an empty one, or one that begins with `--`. */
  #skipHeader(at: number): number {
    const raw = this.#raw;
    for (let end = at; end < this.#lastLf; end++) {
      if (raw[end] !== LF) continue;
      const next = raw[end + 1];
      if (next === LF || (next === CR && raw[end + 2] === LF) || (next === DASH && raw[end + 2] === DASH))
        return end + 1;
    }
    return Math.max(at, this.#lastLf + 1);
  }

  /** Returns the first byte after the line that contains `at`. LF ends a line, and CR where no LF follows. */
  #endOfLine(at: number): number {
    if (at <= this.#lastLf) {
      // A call to indexOf takes longer than a short line.
      const near = Math.min(at + SHORT_LINE, this.#raw.length);
      for (let end = at; end < near; end++) if (this.#raw[end] === LF) return end + 1;
      return this.#raw.indexOf(LF, near) + 1;
    }
    return Math.min(lineEnd(this.#raw, at, this.#raw.length) + 1, this.#raw.length);
  }

  #begin(fields: Fields, at: number, parent: OpenMultipart | null): void {
    const fallback = parent?.type === "multipart/digest" ? "message/rfc822" : "text/plain";
    const type = parseContentType(fields.get("content-type"), fallback);
    const boundary = type.type.startsWith("multipart/") ? type.parameters.get("boundary")?.trimEnd() : undefined;
    const partId = parent ? `${parent.prefix}${parent.children}` : "1";
    const place = parent && { type: parent.type, index: parent.children };
    const self = { partId, fields, type, parent: place, at, end: at };
    if (boundary) {
      if (this.#open.length < bounds.depth) {
        const prefix = parent ? `${partId}.` : "";
        this.#addMultipart({
          self,
          boundary: new TextEncoder().encode(boundary),
          prefix,
          type: type.type,
          children: 0,
        });
        return;
      }
      this.#problem = problems.depth;
    }
    this.#leaf = self;
  }

  /** Ends the multiparts beyond a level before the byte `end`. One without parts can only be read as text (RFC 2045 5.2). */
  #closeMultiparts(level: number, end: number): void {
    const closed = this.#open.splice(level).reverse();
    if (closed.length > 0) this.#indexBoundaries();
    for (const { self, children } of closed) {
      if (children > 0 || this.#parts.length >= bounds.parts) continue;
      this.#leaf = self;
      this.#close(end);
    }
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
      end = next - at > bounds.headerBytes && next <= this.#lastLf ? this.#skipHeader(next - 1) : next;
    }
    return { fields: this.#fieldsOf(at, end), bodyAt: end };
  }

  #fieldsOf(at: number, end: number): Fields {
    if (end - at > bounds.headerBytes) this.#problem = problems.header;
    return readFields(this.#raw, at, Math.min(end, at + bounds.headerBytes)).fields;
  }

  #addMultipart(multipart: OpenMultipart): void {
    this.#open.push(multipart);
    this.#indexBoundaries();
  }

  #indexBoundaries(): void {
    this.#levels.clear();
    this.#longest = 0;
    for (const [level, { boundary }] of this.#open.entries()) {
      const hash = hashOf(boundary, 0, boundary.length);
      this.#levels.set(hash, [level, ...(this.#levels.get(hash) ?? [])]);
      this.#longest = Math.max(this.#longest, boundary.length);
    }
  }

  /** Returns the level of the open multipart whose delimiter is the line [at, end), innermost first. */
  #findBoundary(at: number, end: number): { level: number; closes: boolean; lineAt: number } | null {
    const raw = this.#raw;
    const from = at + 2;
    let to = end;
    while (to > from && isSpace(raw[to - 1])) to--;
    if (to - from > this.#longest + 2) return null;
    const opens = this.#levelOf(from, to);
    const closes = raw[to - 1] === DASH && raw[to - 2] === DASH && to - 2 >= from ? this.#levelOf(from, to - 2) : -1;
    const level = Math.max(opens, closes);
    return level < 0 ? null : { level, closes: closes > opens, lineAt: at };
  }

  /** Returns the innermost level whose boundary is raw[from..to), or -1. A hash, so that many levels cost no more than one. */
  #levelOf(from: number, to: number): number {
    const levels = this.#levels.get(hashOf(this.#raw, from, to));
    return levels?.find((level) => isEqual(this.#raw, from, to, this.#open[level]?.boundary)) ?? -1;
  }
}

/** Returns a hash of bytes (FNV-1a). */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash;
}

function isEqual(raw: Uint8Array, from: number, to: number, boundary: Uint8Array | undefined): boolean {
  if (boundary?.length !== to - from) return false;
  for (let index = 0; index < boundary.length; index++) if (raw[from + index] !== boundary[index]) return false;
  return true;
}

const isSpace = (byte: number | undefined) => byte === SPACE || byte === TAB || byte === CR || byte === LF;

/** Returns whether a message begins with the `From ` line of an mbox file. */
const isMbox = (raw: Uint8Array) => [0x46, 0x72, 0x6f, 0x6d, SPACE].every((byte, index) => raw[index] === byte);
