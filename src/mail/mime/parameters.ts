import { utf8 } from "../../lib/bytes.ts";
import { needsEncoding } from "./encoded-words.ts";
import { foldedField, type HeaderField } from "./headers.ts";

/** A media type with its parameters (RFC 2045 5.1). Type and parameter names are in lower case. */
export interface MediaType {
  readonly type: string;
  readonly parameters: readonly (readonly [string, string])[];
}

/** Longest `name=value` on one line, in characters. */
const MAX_PARAMETER = 74;
/** RFC 6838 4.2. */
const RESTRICTED = "[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}";
const TYPE = new RegExp(`^[ \\t]*(${RESTRICTED}/${RESTRICTED})`);
/** RFC 2231 7: attribute-char for the name; a token or a quoted-string of printable ASCII for the value. */
const PARAMETER =
  /[ \t]*;[ \t]*([A-Za-z0-9!#$&+.^_`|~-]{1,64})=(?:([A-Za-z0-9!#$%&'*+.^_`|~{}-]+)|"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*)")/y;
const OCTET_STREAM: MediaType = { type: "application/octet-stream", parameters: [] };

/**
 * Parses the Content-Type of an attachment. Returns application/octet-stream for a malformed value, a repeated
 * parameter, and composite types (multipart, message), which cannot be sent in base64 (RFC 2046 5.1, 5.2). Drops the
 * parameters `name` and `boundary`: the file name belongs into Content-Disposition.
 */
export function parseMediaType(value: string): MediaType {
  const type = TYPE.exec(value);
  if (!type?.[1] || value.length > 1000 || /^(?:multipart|message)\//i.test(type[1])) return OCTET_STREAM;
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = type[0].length;
  let at = PARAMETER.lastIndex;
  for (let match = PARAMETER.exec(value); match; match = PARAMETER.exec(value)) {
    const name = (match[1] ?? "").toLowerCase();
    if (parameters.has(name)) return OCTET_STREAM;
    parameters.set(name, match[2] ?? (match[3] ?? "").replace(/\\(.)/g, "$1"));
    at = PARAMETER.lastIndex;
  }
  if (!/^[ \t]*(?:;[ \t]*)?$/.test(value.slice(at))) return OCTET_STREAM;
  for (const dropped of ["name", "boundary"]) parameters.delete(dropped);
  return { type: type[1].toLowerCase(), parameters: [...parameters] };
}

/** Returns a structured field: a value and its parameters, folded between parameters (RFC 2045 5.1, RFC 2183 2). */
export function parameterField(
  name: string,
  value: string,
  parameters: readonly (readonly [string, string])[],
): HeaderField {
  const tokens = [value, ...parameters.flatMap(([key, text]) => encodeParameter(key, text))];
  const words = tokens.map((token, i) => (i < tokens.length - 1 ? `${token};` : token));
  return foldedField(name, words);
}

/**
 * Encodes one parameter: a quoted-string when the value is short plain ASCII that all parsers read alike, else RFC 2231 (`key*=`, or
 * `key*0*=`, `key*1*=` …, split between characters). Never writes both forms, because parsers disagree about which one takes precedence.
 */
function encodeParameter(key: string, value: string): string[] {
  const plain = !needsEncoding(value) && !/["\\]|^ | $| {2}/.test(value);
  if (plain && key.length + value.length + 3 <= MAX_PARAMETER) return [`${key}="${value}"`];
  const characters = percentEncode(value);
  const whole = `${key}*=utf-8''${characters.join("")}`;
  if (whole.length <= MAX_PARAMETER) return [whole];
  const pieces: string[] = [];
  let piece = `${key}*0*=utf-8''`;
  for (const character of characters) {
    if (piece.length + character.length > MAX_PARAMETER) {
      pieces.push(piece);
      piece = `${key}*${pieces.length}*=`;
    }
    piece += character;
  }
  return [...pieces, piece];
}

function percentEncode(value: string): string[] {
  return Array.from(value.toWellFormed(), (character) => {
    if (/[A-Za-z0-9!#$&+.^_`|~-]/.test(character)) return character;
    return Array.from(utf8(character), (o) => `%${o.toString(16).toUpperCase().padStart(2, "0")}`).join("");
  });
}
