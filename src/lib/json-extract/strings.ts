/** Reads JSON strings (RFC 8259 section 7) while their bytes arrive. */

import { JsonInvalid } from "./errors.ts";

const [QUOTE, BACKSLASH, SMALL_U] = [0x22, 0x5c, 0x75];
/** Shorter strings are read by a loop over their bytes, which is faster for them. */
const MIN_FAST_BYTES = 128;

/** Returns the length of the escape at `at` by its second byte. May exceed the end of `data`. */
const escapeSize = (data: Uint8Array, at: number): number => (data[at + 1] === SMALL_U ? 6 : 2);

/** Decodes escapes with `JSON.parse`. `text` must have no unescaped quote. */
function parsed(text: string, offset: number): string {
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    throw new JsonInvalid(offset, "bad escape in a string");
  }
}

/** Reads one string after another. Reading starts after the opening quote. */
export class StringReader {
  text = "";
  isDone = false;
  /** True when the current string is validated and discarded. */
  isDiscarding = false;
  #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  start(isDiscarding: boolean): void {
    this.text = "";
    this.isDone = false;
    this.isDiscarding = isDiscarding;
  }

  /** Returns the text read so far and removes it. */
  takeText(): string {
    const { text } = this;
    this.text = "";
    return text;
  }

  /**
   * Reads from `from` and returns the first unused byte: after the closing quote when `isDone`, otherwise at most 5 bytes
   * before the end of `data`, when a character or escape continues in the next chunk. Throws JsonInvalid.
   */
  read(data: Uint8Array, from: number, base: number): number {
    const end = this.#readFast(data, from);
    if (end !== null) return end;
    let at = from;
    let hasEscape = false;
    for (;;) {
      let byte = QUOTE;
      while (at < data.length) {
        byte = data[at] as number;
        if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) break;
        at++;
      }
      if (at === data.length) at -= openCharacter(data, from);
      else if (byte === BACKSLASH && at + escapeSize(data, at) <= data.length) {
        at += escapeSize(data, at);
        hasEscape = true;
        continue;
      } else if (byte < 0x20) throw new JsonInvalid(base + at, "control character in a string");
      else this.isDone = byte === QUOTE;
      this.#add(data, from, at, hasEscape, base);
      return this.isDone ? at + 1 : at;
    }
  }

  /**
   * Reads a long string to its end or that of `data`, in a third of the time that a loop over its bytes takes. Returns null, and
   * reads nothing, for a short string, an error and an escape at the end of `data`: the loop finds where it is.
   */
  #readFast(data: Uint8Array, from: number): number | null {
    const quote = closingQuote(data, from);
    const end = quote < 0 ? data.length - openCharacter(data, from) : quote;
    if (end - from < MIN_FAST_BYTES) return null;
    let text: string;
    try {
      text = JSON.parse(`"${this.#decoder.decode(data.subarray(from, end))}"`);
    } catch {
      return null;
    }
    if (!this.isDiscarding) this.text += text;
    this.isDone = quote >= 0;
    return this.isDone ? end + 1 : end;
  }

  #add(data: Uint8Array, from: number, to: number, hasEscape: boolean, base: number): void {
    if (from === to) return;
    let text: string;
    try {
      text = this.#decoder.decode(data.subarray(from, to));
    } catch {
      throw new JsonInvalid(base + from, "not UTF-8");
    }
    if (hasEscape) text = parsed(text, base + from);
    if (!this.isDiscarding) this.text += text;
  }
}

/** Returns the position of the first quote that no backslash escapes; -1: there is none. `from` is not inside an escape. */
function closingQuote(data: Uint8Array, from: number): number {
  let at = data.indexOf(QUOTE, from);
  while (at !== -1 && isEscaped(data, from, at)) at = data.indexOf(QUOTE, at + 1);
  return at;
}

/** Returns whether an odd number of backslashes stands before `at`. */
function isEscaped(data: Uint8Array, from: number, at: number): boolean {
  let start = at;
  while (start > from && data[start - 1] === BACKSLASH) start--;
  return (at - start) % 2 === 1;
}

/** Returns the length of an incomplete UTF-8 sequence at the end of `data` (RFC 3629). */
function openCharacter(data: Uint8Array, from: number): number {
  for (let back = 1; back <= 3 && data.length - back >= from; back++) {
    const byte = data[data.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}
