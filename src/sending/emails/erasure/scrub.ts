import { utf8, utf8Length } from "../../../lib/bytes.ts";
import { ERASED } from "../timeline/index.ts";

/** Returns a pattern for a character as texts have it: as it is, in a URL, in quoted-printable or in HTML. */
function charPattern(char: string): string {
  if (/^[a-z0-9]$/i.test(char)) return char;
  const literal = char.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  const bytes = [...utf8(char)].map((byte) => byte.toString(16).padStart(2, "0"));
  const code = char.codePointAt(0) ?? 0;
  const encoded = [bytes.map((byte) => `%${byte}`).join(""), bytes.map((byte) => `=${byte}`).join("")];
  return `(?:${[literal, ...encoded, `&#${code};`, `&#x${code.toString(16)};`, ...(char === "@" ? ["&commat;"] : [])].join("|")})`;
}

/** Replaces an address in texts, in any letter case. A longer address that contains it is cut as well. */
export class Scrubber {
  readonly #pattern: RegExp;

  constructor(key: string) {
    this.#pattern = new RegExp([...key].map(charPattern).join(""), "giu");
  }

  /** Returns the text with `erased` in place of the address. */
  replace(text: string): string {
    return text.replace(this.#pattern, ERASED);
  }

  /** Returns the text with an `x` for each byte of the address, so that it has as many bytes as before. */
  mask(text: string): string {
    return text.replace(this.#pattern, (found) => "x".repeat(utf8Length(found)));
  }
}
