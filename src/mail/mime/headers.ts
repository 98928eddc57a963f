import { HEADER_LINE_BYTES, isHeaderName, isServiceHeader } from "../../lib/header-rules.ts";
import { encodedWords, needsEncoding } from "./encoded-words.ts";
import { ComposeError } from "./errors.ts";

/** One header field. `raw` is a binary string: name, colon, folded value and the final CRLF. */
export interface HeaderField {
  readonly name: string;
  readonly raw: string;
}

/** Longest line before folding. RFC 5322 2.1.1 recommends 78; RFC 2047 2 requires 76 for lines with encoded-words. */
const FOLD_AT = 76;

/** Returns the length of the longest first token that fits on the line of the field's name. */
export const firstTokenLimit = (name: string): number => FOLD_AT - name.length - 2;

/**
 * Returns a field made of tokens with single spaces between them, folded only at these spaces (RFC 5322 2.2.3).
 * Throws ComposeError `line_too_long` when a line is longer than 998 bytes because of one token.
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
    if (column > HEADER_LINE_BYTES)
      throw new ComposeError("line_too_long", name, "a word makes a line longer than 998 bytes");
    first = false;
  }
  return { name, raw: `${raw}\r\n` };
}

/** Returns the Subject field. Text that folding could change is encoded, so a reader gets exactly the given characters. */
export function subjectField(subject: string): HeaderField {
  rejectControlCharacters("subject", subject);
  const mustBeEncoded = needsEncoding(subject) || /^ | $| {2}/.test(subject) || /[^ ]{64}/.test(subject);
  const words = mustBeEncoded ? encodedWords(subject, firstTokenLimit("Subject")) : splitWords(subject);
  return foldedField("Subject", words);
}

/** Returns a field whose value is one Message-ID with angle brackets (RFC 5322 3.6.4). Throws ComposeError `identity`. */
export function messageIdField(name: string, messageId: string): HeaderField {
  if (messageId.length > 500 || !/^<[!#-'*+\-/-9=?A-Z^-~.]+@[!#-'*+\-/-9=?A-Z^-~.[\]:]+>$/.test(messageId))
    throw new ComposeError("identity", "message_id", "the message id is not valid");
  return foldedField(name, [messageId]);
}

/**
 * Returns a custom header as an unstructured field (RFC 5322 3.6.8). White space around the value is removed and runs
 * of white space become one space. Text that is not ASCII becomes encoded-words. Throws ComposeError for an invalid
 * name, a name that only the service writes, control characters, and a word longer than a line.
 */
export function customField(name: string, value: string): HeaderField {
  if (!isHeaderName(name)) {
    throw new ComposeError("header_name", "headers", "a name must be 1 to 76 letters, digits and hyphens");
  }
  if (isServiceHeader(name)) throw new ComposeError("header_name", name, "only the service writes this header");
  rejectControlCharacters(name, value);
  const tokens = splitWords(value.replaceAll("\t", " "));
  const joined = tokens.join(" ");
  // `=?` alone can be part of a URL, and a URL must not be encoded. Only the start of an encoded-word is.
  const mustBeEncoded = /[^\x20-\x7e]/.test(joined) || /=\?[^?]*\?[bq]\?/i.test(joined);
  return foldedField(name, mustBeEncoded ? encodedWords(joined, firstTokenLimit(name)) : tokens);
}

/** Throws ComposeError `header_value` for CR, LF, NUL and every other C0 control but TAB. */
function rejectControlCharacters(field: string, value: string): void {
  if (/[\x00-\x08\x0a-\x1f]/.test(value))
    throw new ComposeError("header_value", field, "control characters are not allowed");
}

const splitWords = (value: string): string[] => value.split(" ").filter((word) => word !== "");
