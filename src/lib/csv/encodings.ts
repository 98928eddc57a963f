import { tryOr } from "../../lib/try-or.ts";

/** Recognises the encodings in which spreadsheets save a CSV file (docs/contract/contacts.md#csv-import). Pure. */

export const encodings = ["utf-8", "utf-16", "windows-1252"] as const;
export type Encoding = (typeof encodings)[number];

/** Why a file without an encoding is refused. */
export const DAMAGED = "The CSV file has bytes that are not UTF-8 among characters that are";

/** Returns the text of a file in an encoding, without its byte order mark. */
export function decodeText(bytes: Uint8Array, encoding: Encoding): string {
  const label = encoding === "utf-16" ? (utf16LabelOf(bytes) ?? encoding) : encoding;
  return new TextDecoder(label).decode(bytes);
}

/** Returns the label of TextDecoder for a file in UTF-16, which begins with its mark or with a letter of ASCII; else null. */
function utf16LabelOf([first, second]: Uint8Array): "utf-16le" | "utf-16be" | null {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return "utf-16le";
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? "utf-16be" : null;
}

/** Tells the encoding of a file by its parts. */
export class EncodingGuess {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  #isUtf16: boolean | null = null;
  #isUtf8 = true;
  #characters = 0;
  #others = 0;

  add(part: Uint8Array): void {
    this.#isUtf16 ??= utf16LabelOf(part) !== null;
    if (this.#isUtf16) return;
    const text = this.#isUtf8 ? this.#decode(part, true) : null;
    this.#isUtf8 = text !== null;
    // A part in ASCII, as most are, has as many bytes as units.
    if (text?.length !== part.length) this.#count(part);
  }

  /**
   * Returns the encoding. Null: UTF-8 with damaged characters, at least as many as other bytes. In windows-1252 hardly any two letters
   * are a character of UTF-8 by chance. `isCut`: the last part may end within a character.
   */
  end(isCut = false): Encoding | null {
    if (this.#isUtf16) return "utf-16";
    if (this.#isUtf8 && (isCut || this.#decode(new Uint8Array(), false) !== null)) return "utf-8";
    return this.#characters >= this.#others ? null : "windows-1252";
  }

  #decode(part: Uint8Array, stream: boolean): string | null {
    return tryOr(() => this.#decoder.decode(part, { stream }), null);
  }

  /** Counts characters of UTF-8, and other bytes, outside ASCII. */
  #count(part: Uint8Array): void {
    for (let at = 0; at < part.length; at++) {
      const first = part[at] ?? 0;
      if (first < 0x80) continue;
      const length = Math.min(characterLength(first), part.length - at);
      let read = 1;
      while (read < length && (part[at + read] ?? 0) >> 6 === 0b10) read += 1;
      if (read > 1 && read === length) {
        this.#characters += 1;
        at += read - 1;
      } else this.#others += 1;
    }
  }
}

/** Returns the number of bytes of a character in UTF-8 by its first byte; 1 for a byte that begins none. */
function characterLength(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
