/** Builds the value of a JSON text from its tokens and tracks the position in an email or a batch. */

import { ExtractedContent, RefusedContent } from "./content.ts";
import { BodyTooLarge, type ContentPath, JsonInvalid, JsonTooDeep } from "./errors.ts";
import type { ExtractOptions } from "./options.ts";

/** Meaning of an open array or object. */
type Role = "batch" | "email" | "attachments" | "attachment" | "other";
type Kind = "array" | "object";

type Frame = { role: Role; key: string; hasContents: boolean } & (
  | { items: unknown[]; members: null }
  | { items: null; members: Record<string, unknown> }
);

/** The part of `ExtractOptions` that `Tree` uses. */
type TreeLimits = Pick<
  Required<ExtractOptions>,
  "maxDepth" | "maxValues" | "maxString" | "maxInlineText" | "errors" | "extracts" | "contentField"
>;

/** Memory of one value besides the characters of a string, in bytes: the mean of the worst measured body. */
const VALUE_BYTES = 120;

export class Tree {
  root: unknown;
  /** Estimate of the memory that the value takes, in bytes. */
  heldBytes = 0;
  readonly #limits: TreeLimits;
  #frames: Frame[] = [];
  /** Open arrays and objects beyond `maxDepth`, which are validated and not built. */
  #tooDeep: Kind[] = [];
  #values = 0;

  constructor(limits: TreeLimits) {
    this.#limits = limits;
  }

  /** Kind of the innermost open container; null at the top level. */
  get container(): Kind | null {
    const kind = this.#tooDeep.at(-1);
    if (kind) return kind;
    const frame = this.#frames.at(-1);
    return frame ? (frame.items ? "array" : "object") : null;
  }

  /** Returns whether a string at the current position is the content of an attachment. */
  get expectsContent(): boolean {
    const frame = this.#frames.at(-1);
    if (!this.#limits.extracts || this.#tooDeep.length > 0) return false;
    return frame?.role === "attachment" && frame.key === this.#limits.contentField;
  }

  /** Returns whether a string at the current position is the html or the text of an email. */
  get expectsText(): boolean {
    const frame = this.#frames.at(-1);
    if (!this.#limits.extracts || this.#tooDeep.length > 0) return false;
    return frame?.role === "email" && (frame.key === "html" || frame.key === "text");
  }

  /** Length in UTF-16 units above which a string at the current position is a long string. */
  get stringLimit(): number {
    return this.expectsText ? this.#limits.maxInlineText : this.#limits.maxString;
  }

  /** Path of the next value. */
  get path(): ContentPath {
    return this.#frames.map((frame, i) => {
      if (frame.items === null) return frame.key;
      return i === this.#frames.length - 1 ? frame.items.length : frame.items.length - 1;
    });
  }

  /** Adds the memory of a string. V8 takes one byte a unit for ASCII; `bytes` is its length in the body. */
  holdString(text: string, bytes: number): void {
    this.heldBytes += bytes === text.length ? bytes : 2 * text.length;
  }

  /** Opens an array or object. Throws BodyTooLarge, and JsonTooDeep unless errors are kept. */
  open(kind: Kind): void {
    if (this.#tooDeep.length > 0 || this.#frames.length >= this.#limits.maxDepth) {
      this.#openTooDeep(kind);
      return;
    }
    const base = { role: this.#roleOf(kind), key: "", hasContents: false };
    const frame: Frame =
      kind === "array" ? { ...base, items: [], members: null } : { ...base, items: null, members: {} };
    this.attach(frame.items ?? frame.members);
    this.#frames.push(frame);
  }

  close(): void {
    if (this.#tooDeep.length > 0) this.#tooDeep.pop();
    else this.#frames.pop();
  }

  /** Sets the key of the next member. Throws JsonInvalid when the member would replace an extracted attachment. */
  key(name: string, offset: number): void {
    const frame = this.#frames.at(-1);
    if (!frame || this.#tooDeep.length > 0) return;
    frame.key = name;
    const holder =
      frame.role === "attachment" ? this.#limits.contentField : frame.role === "email" ? "attachments" : null;
    if (frame.hasContents && name === holder) throw new JsonInvalid(offset, `duplicate ${name}`);
  }

  /** Adds a value at the current position. Of equal keys the last one is kept. Throws BodyTooLarge. */
  attach(value: unknown): void {
    this.#count();
    if (this.#tooDeep.length > 0) return;
    const frame = this.#frames.at(-1);
    if (!frame) this.root = value;
    else if (frame.items) frame.items.push(value);
    else if (frame.key === "__proto__") {
      Object.defineProperty(frame.members, frame.key, { value, writable: true, enumerable: true, configurable: true });
    } else frame.members[frame.key] = value;
    if (this.expectsContent && (value instanceof ExtractedContent || value instanceof RefusedContent)) {
      for (const open of this.#frames) open.hasContents = true;
    }
  }

  #openTooDeep(kind: Kind): void {
    const { maxDepth, errors } = this.#limits;
    if (errors === "throw") throw new JsonTooDeep(maxDepth);
    if (this.#tooDeep.length === 0) this.attach(new RefusedContent(this.path, new JsonTooDeep(maxDepth)));
    else this.#count();
    this.#tooDeep.push(kind);
  }

  #count(): void {
    if (++this.#values > this.#limits.maxValues) throw new BodyTooLarge("values", this.#limits.maxValues);
    this.heldBytes += VALUE_BYTES;
  }

  #roleOf(kind: Kind): Role {
    const parent = this.#frames.at(-1);
    if (!parent) return kind === "array" ? "batch" : "email";
    if (kind === "object") {
      if (parent.role === "batch") return "email";
      return parent.role === "attachments" ? "attachment" : "other";
    }
    return parent.role === "email" && parent.key === "attachments" ? "attachments" : "other";
  }
}
