/** Pushdown automaton for the grammar of JSON (RFC 8259) over bytes. The tree is its stack. */

import { JsonInvalid } from "./errors.ts";
import { endOfNumber, numberOf } from "./numbers.ts";
import { StringReader } from "./strings.ts";
import type { Tree } from "./tree.ts";

/** The expected token, in document order, and the states inside a token. */
type State =
  | "start"
  | "value"
  | "first-item"
  | "first-key"
  | "key"
  | "colon"
  | "next"
  | "string"
  | "number"
  | "long-string";

/** Longest key and longest number, in bytes. RFC 8259 section 9 allows such limits. */
const MAX_KEY_BYTES = 1_048_576;
const MAX_NUMBER_BYTES = 65_536;

const BOM = [0xef, 0xbb, 0xbf];
const LITERALS: { [first: number]: { bytes: number[]; value: boolean | null } } = {
  116: { bytes: [116, 114, 117, 101], value: true },
  102: { bytes: [102, 97, 108, 115, 101], value: false },
  110: { bytes: [110, 117, 108, 108], value: null },
};

export class Tokenizer {
  state: State = "start";
  /** Number of bytes read, without contents and discarded strings. */
  skeletonBytes = 0;
  readonly #tree: Tree;
  #strings = new StringReader();
  #isKey = false;
  /** Bytes of the current string so far. */
  #stringBytes = 0;
  #number = "";
  #ascii = new TextDecoder();
  /** The value that replaces the string being discarded. */
  #substitute: unknown;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /**
   * Reads from `from` and returns the first unused byte: the end of `data`; the first byte of a content, or the end of a piece of a string,
   * when `state` is "long-string"; the end of a number when `state` has changed (call again); or at most 5 bytes before the end, when a
   * token continues in the next chunk. `base` is the offset of `data` in the body. Throws JsonInvalid, JsonTooDeep, BodyTooLarge.
   */
  run(data: Uint8Array, from: number, base: number): number {
    let at = from;
    while (at < data.length && this.state !== "long-string") {
      const isDropped = this.state === "string" && this.#strings.isDiscarding;
      const next = this.#step(data, at, base);
      if (!isDropped) this.skeletonBytes += next - at;
      if (next === at) break;
      at = next;
    }
    return at;
  }

  /** Ends a long string with the value that replaces it. */
  endLongString(value: unknown): void {
    this.#end(value);
  }

  /** Returns whether the closing quote of the long string was read. */
  get isLongStringDone(): boolean {
    return this.#strings.isDone;
  }

  /** Returns the text of the long string that was read since the last call. */
  takeText(): string {
    return this.#strings.takeText();
  }

  /** Reads on in a long string, like `run`. */
  readLongString(data: Uint8Array, from: number, base: number): number {
    return this.#strings.read(data, from, base);
  }

  /** Validates and discards the rest of a long string. `substitute` replaces it. */
  discardLongString(substitute: unknown): void {
    this.#substitute = substitute;
    this.#isKey = false;
    this.#strings.start(true);
    this.state = "string";
  }

  /** Ends the body. Throws JsonInvalid when the document is incomplete. */
  finish(offset: number): void {
    if (this.state === "number") this.#endNumber(offset);
    if (this.state !== "next" || this.#tree.container) throw new JsonInvalid(offset, "unexpected end");
  }

  /** Reads one token or a part of it. Returns `at` when it needs more bytes or has ended a number. */
  #step(data: Uint8Array, at: number, base: number): number {
    if (this.state === "string") return this.#readString(data, at, base);
    if (this.state === "number") return this.#readNumber(data, at, base);
    const byte = data[at] as number;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      if (this.state === "start") this.state = "value";
      return at + 1;
    }
    switch (this.state) {
      case "start":
        return byte === BOM[0] ? this.#skipBom(data, at, base) : this.#beginValue(data, at, base);
      case "next":
        return this.#punctuation(byte, at, base);
      case "colon":
        this.state = "value";
        return byte === 0x3a ? at + 1 : fail(base + at, "expected :");
      case "first-key":
        if (byte === 0x7d) return this.#close(at);
        return this.#beginKey(byte, at, base);
      case "key":
        return this.#beginKey(byte, at, base);
      case "first-item":
        if (byte === 0x5d) return this.#close(at);
        return this.#beginValue(data, at, base);
      default:
        return this.#beginValue(data, at, base);
    }
  }

  #beginValue(data: Uint8Array, at: number, base: number): number {
    const byte = data[at] as number;
    if (byte === 0x22) {
      this.state = this.#tree.expectsContent ? "long-string" : "string";
      this.#isKey = false;
      this.#strings.start(false);
      this.#stringBytes = 0;
      return at + 1;
    }
    if (byte === 0x7b || byte === 0x5b) {
      this.#tree.open(byte === 0x7b ? "object" : "array");
      this.state = byte === 0x7b ? "first-key" : "first-item";
      return at + 1;
    }
    const literal = LITERALS[byte];
    if (literal) {
      const end = this.#literal(data, at, base, literal.bytes);
      if (end > at) this.#end(literal.value);
      return end;
    }
    if (byte !== 0x2d && (byte < 0x30 || byte > 0x39)) fail(base + at, "expected a value");
    this.state = "number";
    this.#number = "";
    return this.#readNumber(data, at, base);
  }

  #beginKey(byte: number, at: number, base: number): number {
    if (byte !== 0x22) fail(base + at, "expected a key");
    this.state = "string";
    this.#isKey = true;
    this.#strings.start(false);
    this.#stringBytes = 0;
    return at + 1;
  }

  #punctuation(byte: number, at: number, base: number): number {
    const container = this.#tree.container;
    if (container && byte === 0x2c) {
      this.state = container === "object" ? "key" : "value";
      return at + 1;
    }
    if (byte === (container === "object" ? 0x7d : 0x5d) && container) return this.#close(at);
    return fail(base + at, container ? "expected , or the end of the array or object" : "text after the end");
  }

  #close(at: number): number {
    this.#tree.close();
    this.state = "next";
    return at + 1;
  }

  #readString(data: Uint8Array, from: number, base: number): number {
    const at = this.#strings.read(data, from, base);
    this.#stringBytes += at - from;
    if (!this.#isKey && this.#strings.text.length > this.#tree.stringLimit) {
      this.state = "long-string";
      this.skeletonBytes -= this.#stringBytes;
      return at;
    }
    if (this.#isKey && this.#stringBytes > MAX_KEY_BYTES) fail(base + from, "key too long");
    if (!this.#strings.isDone) return at;
    this.#tree.holdString(this.#strings.text, this.#stringBytes - 1);
    if (this.#isKey) {
      this.#tree.key(this.#strings.text, base + from);
      this.state = "colon";
    } else this.#end(this.#strings.isDiscarding ? this.#substitute : this.#strings.text);
    return at;
  }

  #readNumber(data: Uint8Array, from: number, base: number): number {
    const at = endOfNumber(data, from);
    this.#number += this.#ascii.decode(data.subarray(from, at));
    if (this.#number.length > MAX_NUMBER_BYTES) fail(base + from, "number too long");
    if (at < data.length) this.#endNumber(base + from);
    return at;
  }

  #endNumber(offset: number): void {
    this.#end(numberOf(this.#number, offset));
  }

  #end(value: unknown): void {
    this.#tree.attach(value);
    this.state = "next";
  }

  #skipBom(data: Uint8Array, at: number, base: number): number {
    const end = this.#literal(data, at, base, BOM);
    if (end > at) this.state = "value";
    return end;
  }

  /** Returns the end of a fixed sequence of bytes, or `at` when it continues in the next chunk. */
  #literal(data: Uint8Array, at: number, base: number, bytes: readonly number[]): number {
    const have = Math.min(bytes.length, data.length - at);
    for (let i = 0; i < have; i++) if (data[at + i] !== bytes[i]) fail(base + at, "unexpected token");
    return have === bytes.length ? at + have : at;
  }
}

function fail(offset: number, reason: string): never {
  throw new JsonInvalid(offset, reason);
}
