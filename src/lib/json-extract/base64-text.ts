/** Decodes the base64 of a JSON string (`decodeBase64` has the rules) piece by piece, so that it is never in memory as a whole. */

import { decodeBase64 } from "../bytes.ts";
import { AttachmentTooLarge, Base64Invalid, type ContentPath } from "./errors.ts";

/** Bytes that are yielded at once, except the last ones: 48 KiB, which is 64 KiB of base64. */
export const WRITE_BYTES = 49_152;
const WRITE_CHARACTERS = (WRITE_BYTES / 3) * 4;

/** Sizes in bytes. */
type Limits = Record<"maxContent" | "maxCombined", number>;

export class Base64Text {
  readonly path: ContentPath;
  /** Decoded bytes so far. */
  size = 0;
  readonly #limits: Limits;
  /** Decoded bytes of the contents of the same email that came before. */
  readonly #before: number;
  /** Characters that are not decoded yet. */
  #rest = "";

  constructor(path: ContentPath, limits: Limits, before: number) {
    this.path = path;
    this.#limits = limits;
    this.#before = before;
  }

  /** Yields bytes while the next piece is added. Throws Base64Invalid and AttachmentTooLarge. */
  *read(piece: string): Generator<Uint8Array> {
    this.#rest += piece;
    this.#checkSize();
    while (this.#rest.length > WRITE_CHARACTERS) {
      const text = this.#rest.slice(0, WRITE_CHARACTERS);
      if (text.endsWith("=")) throw new Base64Invalid(this.path);
      yield this.#decode(text);
      this.#rest = this.#rest.slice(WRITE_CHARACTERS);
    }
  }

  /** Ends the string, and yields its last bytes. Throws Base64Invalid. */
  *end(): Generator<Uint8Array> {
    if (this.#rest !== "") yield this.#decode(this.#rest);
  }

  #decode(text: string): Uint8Array {
    const bytes = decodeBase64(text);
    if (bytes === null) throw new Base64Invalid(this.path);
    this.size += bytes.length;
    return bytes;
  }

  #checkSize(): void {
    const padding = this.#rest.endsWith("==") ? 2 : this.#rest.endsWith("=") ? 1 : 0;
    const size = this.size + Math.floor((this.#rest.length * 3) / 4) - padding;
    const { maxContent, maxCombined } = this.#limits;
    if (size <= maxContent && this.#before + size <= maxCombined) return;
    if (!/^[A-Za-z0-9+/]*=*$/.test(this.#rest)) throw new Base64Invalid(this.path);
    const isCombined = size <= maxContent;
    throw new AttachmentTooLarge(this.path, isCombined ? maxCombined : maxContent, isCombined);
  }
}
