import { utf8Length } from "../../../lib/bytes.ts";
import {
  HEADER_NAME_CHARACTERS,
  isContentId,
  isHeaderName,
  isReceiverHeader,
  isRelayHeader,
  isServiceHeader,
} from "../../../lib/header-rules.ts";
import * as textRules from "../../../lib/text-rules.ts";
import { limits } from "../rules.ts";

/** The rules of single fields of a send. Each function is pure and returns why a value is refused, or null. */

/** Checks a custom header: its name, control characters, and the length of its words, between which it is folded (RFC 5322 2.2). */
export function headerIssue(name: string, value: string): string | null {
  if (!isHeaderName(name)) return `A header name has letters, digits and hyphens, ${HEADER_NAME_CHARACTERS} at most`;
  if (isServiceHeader(name)) return `${name} is set by the service`;
  if (isRelayHeader(name)) return `${name} is refused, because relays take it as a command`;
  if (isReceiverHeader(name)) return `${name} is refused, because only receiving servers may write it`;
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value))
    return "A header value must not contain CR, LF or other control characters";
  const bytes = name.length + 2 + value.split(/[ \t]/).reduce((most, word) => Math.max(most, utf8Length(word)), 0);
  return bytes > limits.lineBytes ? tooLong("a line of the header", bytes, limits.lineBytes, "bytes") : null;
}

/** Checks a subject: control characters and its length in bytes. */
export function subjectIssue(subject: string): string | null {
  if (/[\u0000-\u001f\u007f]/.test(subject)) return "A subject must not contain CR, LF or other control characters";
  const bytes = utf8Length(subject);
  return bytes > limits.lineBytes ? tooLong("the subject", bytes, limits.lineBytes, "bytes") : null;
}

/** Checks a tag: its length in Unicode code points, and control characters. */
export function tagIssue(tag: string): string | null {
  if (tag === "") return "A tag must not be empty";
  // A code point has at most two UTF-16 units; a longer tag is not taken apart, to save memory.
  const characters = tag.length > 2 * limits.tagCharacters ? tag.length : Array.from(tag).length;
  if (characters > limits.tagCharacters) return tooLong("the tag", characters, limits.tagCharacters, "characters");
  return /[\u0000-\u001f\u007f]/.test(tag) ? "A tag must not contain control characters" : null;
}

/** Checks a file name (docs/contract/emails.md#send-request): its length, and characters that hide text or name a path. */
export function filenameIssue(filename: string): string | null {
  const bytes = utf8Length(filename);
  if (bytes > limits.filenameBytes) return tooLong("the filename", bytes, limits.filenameBytes, "bytes");
  return textRules.filenameIssue(filename);
}

/** Checks a media type: type, slash, subtype and optional parameters (RFC 2045 5.1, RFC 6838 4.2). */
export function mediaTypeIssue(type: string): string | null {
  const isWellFormed = type.length <= 255 && /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127} *(;[\x20-\x7e]*)?$/.test(type);
  return isWellFormed ? null : "A content_type is a media type such as application/pdf, 255 characters at most";
}

/** Checks a Content-ID given without its angle brackets. */
export function contentIdIssue(id: string): string | null {
  return isContentId(id)
    ? null
    : "A content_id has letters, digits and punctuation without spaces, quotes or angle brackets, 250 at most";
}

/** Returns the sentence for a value that is too long: "the subject is 1,204 bytes; the limit is 998". */
export function tooLong(field: string, size: number, limit: number, unit: string): string {
  return `${field} is ${size.toLocaleString("en")} ${unit}; the limit is ${limit.toLocaleString("en")}`;
}
