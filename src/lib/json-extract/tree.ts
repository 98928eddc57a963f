/** Builds the value of a JSON text from its tokens and tracks the position in an email or a batch. */

import { ExtractedContent, RefusedContent } from "./content.ts";
import type { ContentPath } from "./errors.ts";
import { BodyTooLarge, JsonInvalid, JsonTooDeep } from "./errors.ts";

/** Meaning of an open array or object. */
type Role = "batch" | "email" | "attachments" | "attachment" | "other";

type Frame = { role: Role; key: string; hasContents: boolean } & (
  | { items: unknown[]; members: null }
  | { items: null; members: Record<string, unknown> }
);

export class Tree {
  root: unknown;
  #frames: Frame[] = [];
  #values = 0;
  readonly #maxDepth: number;
  readonly #maxValues: number;

  constructor(limits: { maxDepth: number; maxValues: number }) {
    this.#maxDepth = limits.maxDepth;
    this.#maxValues = limits.maxValues;
  }

  /** Kind of the innermost open container; null at the top level. */
  get container(): "array" | "object" | null {
    const frame = this.#frames.at(-1);
    return frame ? (frame.items ? "array" : "object") : null;
  }

  /** Whether a string at the current position is the content of an attachment. */
  get expectsContent(): boolean {
    const frame = this.#frames.at(-1);
    return frame?.role === "attachment" && frame.key === "content_base64";
  }

  /** Path of the next value. */
  get path(): ContentPath {
    return this.#frames.map((frame, i) => {
      if (frame.items === null) return frame.key;
      return i === this.#frames.length - 1 ? frame.items.length : frame.items.length - 1;
    });
  }

  /** Opens an array or object. Throws JsonTooDeep and BodyTooLarge. */
  open(kind: "array" | "object"): void {
    if (this.#frames.length >= this.#maxDepth) throw new JsonTooDeep(this.#maxDepth);
    const base = { role: this.#roleOf(kind), key: "", hasContents: false };
    const frame: Frame =
      kind === "array" ? { ...base, items: [], members: null } : { ...base, items: null, members: {} };
    this.attach(frame.items ?? frame.members);
    this.#frames.push(frame);
  }

  close(): void {
    this.#frames.pop();
  }

  /** Sets the key of the next member. Throws JsonInvalid when the member would replace an extracted content. */
  key(name: string, offset: number): void {
    const frame = this.#frames.at(-1);
    if (!frame) return;
    frame.key = name;
    const holder = frame.role === "attachment" ? "content_base64" : frame.role === "email" ? "attachments" : null;
    if (frame.hasContents && name === holder) throw new JsonInvalid(offset, `duplicate ${name}`);
  }

  /** Adds a value at the current position. Of equal keys the last one is kept. Throws BodyTooLarge. */
  attach(value: unknown): void {
    if (++this.#values > this.#maxValues) throw new BodyTooLarge("values", this.#maxValues);
    const frame = this.#frames.at(-1);
    if (!frame) this.root = value;
    else if (frame.items) frame.items.push(value);
    else if (frame.key === "__proto__") {
      Object.defineProperty(frame.members, frame.key, { value, writable: true, enumerable: true, configurable: true });
    } else frame.members[frame.key] = value;
    if (value instanceof ExtractedContent || value instanceof RefusedContent) {
      for (const open of this.#frames) open.hasContents = true;
    }
  }

  #roleOf(kind: "array" | "object"): Role {
    const parent = this.#frames.at(-1);
    if (!parent) return kind === "array" ? "batch" : "email";
    if (kind === "object") {
      if (parent.role === "batch") return "email";
      return parent.role === "attachments" ? "attachment" : "other";
    }
    return parent.role === "email" && parent.key === "attachments" ? "attachments" : "other";
  }
}
