import { HEADER_LINE_OCTETS, isHeaderName, isServiceHeader } from "../../lib/header-rules.ts";
import { encodedWords, needsEncoding } from "./encoded-words.ts";
import { ComposeError } from "./errors.ts";

/** One header field. `raw` is an octet string: name, colon, folded value and the final CRLF. */
export interface HeaderField {
  readonly name: string;
  readonly raw: string;
}

/** Where lines are folded: RFC 5322 2.1.1 asks for 78, RFC 2047 2 for 76 where encoded-words stand. */
const FOLD_AT = 76;

/** Room for the first token of a field before the line is folded. */
export function firstTokenLimit(name: string): number {
  return FOLD_AT - name.length - 2;
}

/**
 * A field from tokens that are never broken: single spaces between them, folds only there (RFC 5322 2.2.3).
 * Throws ComposeError `line_too_long` when a token alone passes 998 octets.
 */
export function foldedField(name: string, tokens: readonly string[]): HeaderField {
  let raw = `${name}:`;
  let column = raw.length;
  let first = true;
  for (const token of tokens) {
    if (!first && column + 1 + token.length > FOLD_AT) {
      raw += "\r\n";
      column = 0;
    }
    raw += ` ${token}`;
    column += 1 + token.length;
    if (column > HEADER_LINE_OCTETS)
      throw new ComposeError("line_too_long", name, "a word does not fit on a line of 998 octets");
    first = false;
  }
  return { name, raw: `${raw}\r\n` };
}

/** The Subject field. Written so that it reads back character by character: anything folding could alter is encoded. */
export function subjectField(subject: string): HeaderField {
  rejectControlCharacters("subject", subject);
  const altered = needsEncoding(subject) || /^ | $| {2}/.test(subject) || /[^ ]{64}/.test(subject);
  return foldedField("Subject", altered ? encodedWords(subject, firstTokenLimit("Subject")) : splitWords(subject));
}

/**
 * A header of the caller, unstructured (RFC 5322 3.6.8). White space around the value is dropped and runs of it
 * become one space; text beyond ASCII becomes encoded-words. Throws ComposeError for a name that is no name or is
 * ours to write, for control characters, and for a word that does not fit on a line.
 */
export function customField(name: string, value: string): HeaderField {
  if (!isHeaderName(name)) {
    throw new ComposeError("header_name", "headers", "a name must be 1 to 76 letters, digits and hyphens");
  }
  if (isServiceHeader(name)) throw new ComposeError("header_name", name, "this header is written by the service");
  rejectControlCharacters(name, value);
  const tokens = splitWords(value.replaceAll("\t", " "));
  const joined = tokens.join(" ");
  // A lone `=?` may be part of a URL, which must not be encoded; only what begins an encoded-word is.
  const encode = /[^\x20-\x7e]/.test(joined) || /=\?[^?]*\?[bq]\?/i.test(joined);
  return foldedField(name, encode ? encodedWords(joined, firstTokenLimit(name)) : tokens);
}

/** Throws ComposeError `header_value` for CR, LF, NUL and every other C0 control but TAB. */
export function rejectControlCharacters(field: string, value: string): void {
  if (/[\x00-\x08\x0a-\x1f]/.test(value))
    throw new ComposeError("header_value", field, "control characters are refused");
}

function splitWords(value: string): string[] {
  return value.split(" ").filter((word) => word !== "");
}
