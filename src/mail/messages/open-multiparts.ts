import type { MessageStructure, PartNode } from "../structures/types.ts";
import type { LeafReader } from "./leaf-reader.ts";
import type { PartDescription } from "./parts.ts";

/** A part whose end is not known yet. */
export interface OpenPart {
  description: PartDescription;
  /** First byte of its body. */
  at: number;
  reader: LeafReader;
  node: PartNode;
  /** Reads the message that it is. */
  inner: InnerScanner | null;
}

/** Reads a message within a message. */
interface InnerScanner {
  push(bytes: Uint8Array): void;
  end(): { structure: MessageStructure };
}

/** A multipart whose end is not known yet. */
export interface OpenMultipart {
  /** The multipart as a part, which it is when no boundary follows. */
  self: OpenPart;
  boundary: Uint8Array;
  /** Prefix of the ids of its parts. */
  prefix: string;
  type: string;
  children: number;
}

const [LF, CR, DASH, SPACE, TAB] = [0x0a, 0x0d, 0x2d, 0x20, 0x09];

/** The multiparts that contain the current place of a message, outermost first. */
export class OpenMultiparts {
  readonly #open: OpenMultipart[] = [];
  /** Levels by the hash of their boundaries, innermost first, and the bytes of the shortest and the longest boundary. */
  readonly #levels = new Map<number, number[]>();
  #shortest = 0;
  #longest = 0;

  get length(): number {
    return this.#open.length;
  }

  get innermost(): OpenMultipart | undefined {
    return this.#open.at(-1);
  }

  add(multipart: OpenMultipart): void {
    this.#open.push(multipart);
    this.#index();
  }

  /** Removes the multiparts beyond a level and returns them, innermost first. */
  removeFrom(level: number): OpenMultipart[] {
    const removed = this.#open.splice(level).reverse();
    if (removed.length > 0) this.#index();
    return removed;
  }

  /** Returns the level of the multipart whose delimiter is the line raw[at..end), innermost first. The line begins with `--`. */
  find(raw: Uint8Array, at: number, end: number): { level: number; closes: boolean } | null {
    const from = at + 2;
    let to = end;
    while (to > from && isSpace(raw[to - 1])) to--;
    if (to - from < this.#shortest || to - from > this.#longest + 2) return null;
    const opens = this.#levelOf(raw, from, to);
    const closes =
      raw[to - 1] === DASH && raw[to - 2] === DASH && to - 2 >= from ? this.#levelOf(raw, from, to - 2) : -1;
    const level = Math.max(opens, closes);
    return level < 0 ? null : { level, closes: closes > opens };
  }

  #index(): void {
    this.#levels.clear();
    this.#shortest = Math.min(...this.#open.map(({ boundary }) => boundary.length));
    this.#longest = Math.max(...this.#open.map(({ boundary }) => boundary.length));
    for (const [level, { boundary }] of this.#open.entries()) {
      const hash = hashOf(boundary, 0, boundary.length);
      this.#levels.set(hash, [level, ...(this.#levels.get(hash) ?? [])]);
    }
  }

  /** Returns the innermost level whose boundary is raw[from..to), or -1. A hash, so that many levels cost no more than one. */
  #levelOf(raw: Uint8Array, from: number, to: number): number {
    const levels = this.#levels.get(hashOf(raw, from, to));
    return levels?.find((level) => isEqual(raw, from, to, this.#open[level]?.boundary)) ?? -1;
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
