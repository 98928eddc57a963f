import { describeEnvelope, describeNode, type PartStart, StructureBudget } from "../structures/describe.ts";
import type { MessageStructure, PartNode } from "../structures/types.ts";
import type { Fields } from "../texts/fields.ts";
import type { OpenMultipart } from "./open-multiparts.ts";

/** Messages in messages whose parts are found. A deeper one is a leaf. */
const MAX_NESTING = 3;

/** A header, and the first byte after it. */
export interface Header {
  fields: Fields;
  at: number;
  bodyAt: number;
}

/** The tree of a message's parts while it is read. */
export class PartTree {
  readonly #depth: number;
  readonly #budget: StructureBudget;
  #root: PartNode | null = null;
  /** Multiparts after their last delimiter. They end at the next delimiter of a multipart around them. */
  #closed: { level: number; node: PartNode }[] = [];

  constructor(depth = 0, budget = new StructureBudget()) {
    this.#depth = depth;
    this.#budget = budget;
  }

  /** Adds a part. Without room for it, it is not in the structure. */
  add(fields: Fields, fallback: string, start: PartStart, parent: PartNode | null): PartNode {
    const node = describeNode(fields, fallback, start, this.#budget);
    if (!this.#budget.takePart()) return node;
    if (!parent) this.#root = node;
    else if (parent.parts) parent.parts.push(node);
    else parent.parts = [node];
    return node;
  }

  /** Returns the tree of a message that is a part as it is, not encoded (RFC 2046 5.2.1); null for another part. */
  inner(type: string, encoding: string): PartTree | null {
    const isMessage = type === "message/rfc822" || type === "message/global";
    if (!isMessage || this.#depth >= MAX_NESTING || !["7bit", "8bit", "binary"].includes(encoding)) return null;
    return new PartTree(this.#depth + 1, this.#budget);
  }

  /** Ends multiparts, innermost first, at a delimiter of a level or beyond it. `isLast`: the outermost has closed itself by its last. */
  endMultiparts(
    multiparts: readonly OpenMultipart[],
    level: number,
    { end, isLast }: { end: number; isLast: boolean },
  ): void {
    const goesOn = (one: { level: number }) => isLast && one.level <= level;
    for (const one of this.#closed) if (!goesOn(one)) one.node.end = end;
    this.#closed = this.#closed.filter(goesOn);
    for (const [index, { self }] of multiparts.entries()) {
      if (isLast && index === multiparts.length - 1) this.#closed.push({ level, node: self.node });
      else self.node.end = end;
    }
  }

  /** Returns the structure of the message. */
  end({ fields, at, bodyAt }: Header): MessageStructure {
    const root = this.#root ?? describeNode(fields, "text/plain", { header: at, body: bodyAt }, this.#budget);
    return { version: 1, envelope: describeEnvelope(fields, this.#budget), root };
  }
}
