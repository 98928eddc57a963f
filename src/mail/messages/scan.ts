import { toInnerMessage } from "../structures/shift.ts";
import type { MessageStructure } from "../structures/types.ts";
import { charsetOfHeader } from "../texts/decode-header.ts";
import { type Fields, parseContentType, readFields } from "../texts/fields.ts";
import { type Bodies, BodyParts } from "./bodies.ts";
import { LeafReader } from "./leaf-reader.ts";
import { WindowLines } from "./lines.ts";
import { type OpenMultipart, OpenMultiparts, type OpenPart } from "./open-multiparts.ts";
import { type Header, PartTree } from "./part-tree.ts";
import { describePart, type MessagePart } from "./parts.ts";
import { bounds, problems } from "./rules.ts";
import { MessageWindow } from "./window.ts";

export interface ScannedMessage extends Bodies {
  fields: Fields;
  /** First byte after the header. */
  bodyAt: number;
  /** The bytes before it, one character for each; null beyond a bound and with a NUL. */
  header: string | null;
  structure: MessageStructure;
  parts: MessagePart[];
  /** Why parts are missing; null when all are there. */
  problem: string | null;
}

/** Takes the bytes of the body in their order. */
export interface BodySink {
  update(bytes: Uint8Array): unknown;
}

/** Work on a message that stops where more of its bytes must be known. */
type Steps<Result> = Generator<void, Result, void>;

const SPACE = 0x20;

/** Finds the parts of a message (RFC 2046) in one pass and linear time while it arrives, and holds one MiB of it at most. Never throws. */
export class MessageScanner {
  readonly #window: MessageWindow;
  readonly #body: BodySink | null;
  readonly #steps: Steps<Header>;
  readonly #multiparts = new OpenMultiparts();
  readonly #parts: MessagePart[] = [];
  readonly #bodies = new BodyParts();
  #problem: string | null = null;
  #header: string | null = null;
  /** The part that is being read, or the multipart before its first part, and the place up to which it was read. */
  #leaf: OpenPart | null = null;
  #preamble: OpenPart | null = null;
  #readTo = 0;
  readonly #lines = new WindowLines();
  /** The place of the first byte that is still needed. */
  #keptFrom = 0;
  /** First byte of the body that `#body` has not; infinite before the header is read. */
  #bodyFrom = Number.POSITIVE_INFINITY;

  readonly #tree: PartTree;

  /** `tree`: that of a message within another one. */
  constructor({ whole, body = null }: { whole?: Uint8Array; body?: BodySink | null } = {}, tree = new PartTree()) {
    this.#tree = tree;
    this.#window = new MessageWindow(whole);
    this.#body = body;
    this.#steps = this.#scan();
  }

  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; ) {
      if (this.#window.isFull) {
        this.#advance();
        this.#passBody(this.#keptFrom);
        this.#window.slideTo(this.#keptFrom);
      }
      from += this.#window.add(chunk.subarray(from));
    }
  }

  /** Returns what the message contains. No bytes may follow. */
  end(): ScannedMessage {
    this.#window.isLast = true;
    const header = this.#advance();
    if (!header) throw new Error("the end of the message was not read");
    this.#passBody(this.#window.end);
    const structure = this.#tree.end(header);
    const bodies = this.#bodies.end(this.#parts);
    return { ...header, header: this.#header, structure, parts: this.#parts, ...bodies, problem: this.#problem };
  }

  /** Reads the bytes of the window as far as possible. */
  #advance(): Header | null {
    this.#lines.update(this.#window);
    const { done, value } = this.#steps.next();
    return done ? value : null;
  }

  #passBody(to: number): void {
    if (to <= this.#bodyFrom) return;
    this.#body?.update(this.#lines.slice(this.#bodyFrom, to));
    this.#bodyFrom = to;
  }

  *#scan(): Steps<Header> {
    const start = isMbox(this.#lines.bytes) ? this.#lines.endOfLine(0) : 0;
    const header = yield* this.#readHeader(start);
    this.#header = this.#lines.textTo(header.bodyAt, bounds.keptHeaderBytes);
    this.#bodyFrom = header.bodyAt;
    this.#begin(header, null);
    for (let at = header.bodyAt; this.#multiparts.length > 0; ) {
      if (this.#lacks(at)) yield* this.#waitAt(at);
      let line = this.#lines.hasDashes(at) ? at : this.#lines.search(at, true, false);
      if (line < 0) line = yield* this.#seek(at, false);
      if (this.#lacks(line)) yield* this.#waitAt(line);
      if (line >= this.#lines.end) break;
      at = this.#lines.endOfLine(line);
      const found = this.#multiparts.find(this.#lines.bytes, line - this.#lines.start, at - this.#lines.start);
      if (!found) {
        // The end of a line that is longer than the window comes later.
        if (at >= this.#lines.end) at = yield* this.#seek(line + 2, false);
        continue;
      }
      this.#close(line);
      this.#closeMultiparts(found.closes ? found.level : found.level + 1, line, found.closes);
      if (found.closes) continue;
      if (this.#parts.length >= bounds.parts) {
        this.#problem = problems.parts;
        break;
      }
      at = yield* this.#beginPart(at);
    }
    yield* this.#readToEnd();
    return header;
  }

  *#readToEnd(): Steps<void> {
    while (!this.#window.isLast) {
      this.#read(this.#lines.end);
      this.#keptFrom = this.#lines.end;
      yield;
    }
    this.#close(this.#lines.end);
    this.#closeMultiparts(0, this.#lines.end, false);
  }

  /** Reads the header of a part of the innermost multipart. Returns the first byte of its body. */
  *#beginPart(at: number): Steps<number> {
    this.#preamble = null;
    const header = yield* this.#readHeader(at);
    const parent = this.#multiparts.innermost;
    if (!parent) return header.bodyAt;
    parent.children += 1;
    this.#begin(header, parent);
    return header.bodyAt;
  }

  /** Returns whether more of the message must be known before the line at `at` is read. */
  #lacks(at: number): boolean {
    return at > this.#lines.limit;
  }

  /** Waits for the bytes after a place. Those before it are not needed any more, except a line break. */
  *#waitAt(at: number): Steps<void> {
    do {
      this.#read(at - 2);
      this.#keptFrom = Math.max(this.#lines.start, at - 2);
      yield;
    } while (this.#lacks(at));
  }

  /** Passes the bytes up to a place to the part that is being read. */
  #read(to: number): void {
    const part = this.#leaf ?? this.#preamble;
    if (!part || to <= this.#readTo) return;
    const bytes = this.#lines.slice(this.#readTo, to);
    part.reader.add(bytes);
    part.inner?.push(bytes);
    this.#readTo = to;
  }

  /** Returns the first line after the byte `from` that `search` finds, or the end of the message. */
  *#seek(from: number, orEmpty: boolean): Steps<number> {
    for (let at = from; ; ) {
      const found = this.#lines.search(at, this.#multiparts.length > 0, orEmpty);
      if (found >= 0) return found;
      if (this.#window.isLast) return this.#lines.end;
      at = Math.max(at, this.#lines.limit);
      yield* this.#waitAt(at + 1);
    }
  }

  #begin({ fields, at: header, bodyAt: at }: Header, parent: OpenMultipart | null): void {
    const fallback = parent?.type === "multipart/digest" ? "message/rfc822" : "text/plain";
    const type = parseContentType(fields.get("content-type"), fallback);
    const boundary = type.type.startsWith("multipart/") ? type.parameters.get("boundary")?.trimEnd() : undefined;
    const partId = parent ? `${parent.prefix}${parent.children}` : "1";
    const place = parent && { type: parent.type, isFirst: parent.children === 1 };
    const description = describePart(partId, fields, type, place);
    const node = this.#tree.add(fields, fallback, { header, body: at }, parent?.self.node ?? null);
    const headBytes = this.#bodies.headBytes(description);
    const reader = new LeafReader(description.encoding, headBytes, /^(?:text|multipart|message)\//.test(type.type));
    const self = { description, at, reader, node, inner: null };
    this.#readTo = at;
    if (boundary && this.#multiparts.length < bounds.depth) {
      const prefix = parent ? `${partId}.` : "";
      this.#bodies.addMultipart(prefix, type.type);
      const delimiter = new TextEncoder().encode(boundary);
      this.#multiparts.add({ self, boundary: delimiter, prefix, type: type.type, children: 0 });
      this.#preamble = self;
      return;
    }
    if (boundary) this.#problem = problems.depth;
    const inner = this.#tree.inner(type.type, description.encoding);
    this.#leaf = { ...self, inner: inner && new MessageScanner({}, inner) };
  }

  /** Ends the multiparts beyond a level before the byte `end`. One without parts can only be read as text (RFC 2045 5.2). */
  #closeMultiparts(level: number, end: number, isLast: boolean): void {
    const closed = this.#multiparts.removeFrom(level);
    this.#tree.endMultiparts(closed, level, { end: this.#lines.beforeBreak(end, 0), isLast });
    if (closed.length > 0) this.#preamble = null;
    for (const { self, children } of closed) {
      if (children > 0 || this.#parts.length >= bounds.parts) continue;
      this.#leaf = self;
      this.#close(end);
    }
  }

  /** Ends the leaf that is open before the byte `end`. The line break before a boundary belongs to the boundary. */
  #close(end: number): void {
    if (!this.#leaf) return;
    const { description, at, reader, node, inner } = this.#leaf;
    const to = this.#lines.beforeBreak(end, at);
    this.#read(to);
    this.#leaf = null;
    node.end = to;
    if (reader.lines !== undefined) node.lines = reader.lines;
    if (inner) node.message = toInnerMessage(inner.end().structure, at);
    const part = { ...description, at, length: to - at, size: reader.end() };
    this.#bodies.add(part, reader.head);
    this.#parts.push(part);
  }

  /** Reads a header, up to an empty line or a boundary. A larger one than the bound is cut off. */
  *#readHeader(at: number): Steps<Header> {
    if (this.#lacks(at)) yield* this.#waitAt(at);
    for (let line = at; line < this.#lines.end; ) {
      const next = this.#lines.endOfLine(line);
      // A body can begin without the empty line.
      if (this.#isBoundary(line, next)) return { fields: this.#fieldsOf(at, line), at, bodyAt: line };
      if (this.#lines.isEmptyLine(line - this.#lines.start))
        return { fields: this.#fieldsOf(at, next), at, bodyAt: next };
      if (next - at > bounds.headerBytes) {
        const fields = this.#fieldsOf(at, next);
        return { fields, at, bodyAt: yield* this.#skipHeader(next - 1) };
      }
      line = next;
    }
    return { fields: this.#fieldsOf(at, this.#lines.end), at, bodyAt: this.#lines.end };
  }

  /** Skips the rest of a header beyond its bound, from a byte before a line on. Returns the first byte of the body. */
  *#skipHeader(from: number): Steps<number> {
    for (let at = from; ; ) {
      let line = this.#lines.search(at, this.#multiparts.length > 0, true);
      if (line < 0) line = yield* this.#seek(at, true);
      if (this.#lacks(line)) yield* this.#waitAt(line);
      if (line >= this.#lines.end) return this.#lines.end;
      const next = this.#lines.endOfLine(line);
      if (this.#lines.isEmptyLine(line - this.#lines.start)) return next;
      if (this.#isBoundary(line, next)) return line;
      at = line;
    }
  }

  #isBoundary(line: number, next: number): boolean {
    const start = this.#lines.start;
    return this.#lines.hasDashes(line) && this.#multiparts.find(this.#lines.bytes, line - start, next - start) !== null;
  }

  #fieldsOf(at: number, end: number): Fields {
    if (end - at > bounds.headerBytes) this.#problem = problems.header;
    const start = this.#lines.start;
    const bytes = this.#lines.bytes.subarray(at - start, Math.min(end, at + bounds.headerBytes) - start);
    return readFields(bytes, 0, bytes.length, charsetOfHeader(bytes)).fields;
  }
}

/** Returns whether a message begins with the `From ` line of an mbox file. */
const isMbox = (raw: Uint8Array) => [0x46, 0x72, 0x6f, 0x6d, SPACE].every((byte, index) => raw[index] === byte);
