import { binaryStringToBytes, toBinaryString, utf8, utf8Length } from "../../../lib/bytes.ts";
import { ERASED } from "../timeline/index.ts";

/** Returns the forms that a character has in texts: as it is, in a URL, in quoted-printable and in HTML. Letters of ASCII have one. */
function formsOf(char: string): string[] {
  if (/^[a-z0-9]$/i.test(char)) return [char];
  const bytes = [...utf8(char)].map((byte) => byte.toString(16).padStart(2, "0"));
  const code = char.codePointAt(0) ?? 0;
  const encoded = [bytes.map((byte) => `%${byte}`).join(""), bytes.map((byte) => `=${byte}`).join("")];
  return [char, ...encoded, `&#${code};`, `&#x${code.toString(16)};`, ...(char === "@" ? ["&commat;"] : [])];
}

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
const patternOf = (forms: readonly string[]) => `(?:${forms.map(escapePattern).join("|")})`;
/** Returns a text as a binary string of its UTF-8 bytes. */
const binary = (text: string) => toBinaryString(utf8(text));

/** Replaces an address in texts, in any letter case. A longer address that contains it is cut as well. */
export class Scrubber {
  readonly #pattern: RegExp;
  readonly #binaryPattern: RegExp;
  /** The longest form of the address, in bytes. */
  readonly maxBytes: number;

  constructor(key: string) {
    const forms = [...key].map(formsOf);
    this.#pattern = new RegExp(forms.map(patternOf).join(""), "giu");
    // Bytes have no letter case, except those of ASCII.
    const inBytes = forms.map((ofChar) => [
      ...new Set(ofChar.flatMap((form) => [form, form.toUpperCase(), form.toLowerCase()]).map(binary)),
    ]);
    this.#binaryPattern = new RegExp(inBytes.map(patternOf).join(""), "gi");
    this.maxBytes = inBytes.reduce((sum, ofChar) => sum + Math.max(...ofChar.map(({ length }) => length)), 0);
  }

  /** Returns the text with `erased` in place of the address. */
  replace(text: string): string {
    return text.replace(this.#pattern, ERASED);
  }

  /** Returns the text with an `x` for each byte of the address, so that it has as many bytes as before. */
  mask(text: string): string {
    return text.replace(this.#pattern, (found) => "x".repeat(utf8Length(found)));
  }

  /** Returns bytes of any charset with an `x` for each byte of the address in UTF-8. */
  maskBytes(bytes: Uint8Array): Uint8Array {
    const text = toBinaryString(bytes);
    const masked = text.replace(this.#binaryPattern, (found) => "x".repeat(found.length));
    return masked === text ? bytes : binaryStringToBytes(masked);
  }
}
