import { decodeEncodedWords } from "./encoded-words.ts";
import { decodeText } from "./text.ts";

const MAX_PIECES = 100;

/**
 * Returns a parameter of a header field: plain, encoded and continued (RFC 2231), or as the encoded-words that many mailers
 * write although RFC 2047 5 forbids them. Null when it is absent.
 */
export function readParameter(parameters: ReadonlyMap<string, string>, name: string): string | null {
  const extended = readExtended(parameters, name);
  if (extended !== null) return extended;
  const plain = parameters.get(name);
  return plain === undefined ? null : decodeEncodedWords(plain);
}

function readExtended(parameters: ReadonlyMap<string, string>, name: string): string | null {
  if (!parameters.has(`${name}*0`)) return null;
  let text = "";
  for (let piece = 0; piece < MAX_PIECES; piece++) {
    const value = parameters.get(`${name}*${piece}`);
    if (value === undefined) break;
    text += value;
  }
  return decodePercent(text);
}

/** Decodes `charset'language'%41`. Text of another form stays as it is. */
export function decodePercent(text: string): string {
  const match = /^([A-Za-z0-9._-]{0,40})'[^']{0,40}'(.*)$/s.exec(text);
  if (!match) return text;
  const bytes: number[] = [];
  for (const [, code, other = ""] of (match[2] ?? "").matchAll(/%([0-9a-f]{2})|(.)/gisu)) {
    if (code !== undefined) bytes.push(Number.parseInt(code, 16));
    else bytes.push(...new TextEncoder().encode(other));
  }
  return decodeText(Uint8Array.from(bytes), match[1] || "utf-8");
}
