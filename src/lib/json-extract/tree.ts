/** Builds the value of a JSON text from its tokens, and knows where in an email or a batch it stands. */

import { ExtractedContent, RefusedContent } from "./content.ts";
import type { ContentPath } from "./errors.ts";
import { BodyTooLarge, JsonInvalid, JsonTooDeep } from "./errors.ts";

/** What an open array or object is to us. */
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

  /** What the innermost open container is; null outside all. */
  get container(): "array" | "object" | null {
    const frame = this.#frames.at(-1);
    return frame ? (frame.items ? "array" : "object") : null;
  }

  /** True when a string that came now would be an attachment's content. */
  get wantsContent(): boolean {
    const frame = this.#frames.at(-1);
    return frame?.role === "attachment" && frame.key === "content_base64";
  }

  /** The path of the value that comes next. */
  get path(): ContentPath {
    return this.#frames.map((frame, i) => {
      if (frame.items === null) return frame.key;
      return i === this.#frames.length - 1 ? frame.items.length : frame.items.length - 1;
    });
  }

  /** Throws JsonTooDeep and BodyTooLarge. */
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

  /** Takes the key of the member whose value comes next. Throws JsonInvalid when that would drop a content. */
  key(name: string, offset: number): void {
    const frame = this.#frames.at(-1);
    if (!frame) return;
    frame.key = name;
    const holder = frame.role === "attachment" ? "content_base64" : frame.role === "email" ? "attachments" : null;
    if (frame.hasContents && name === holder) throw new JsonInvalid(offset, `duplicate ${name}`);
  }

  /** Puts a value where the text has it; of two with one key the last stays. Throws BodyTooLarge. */
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
