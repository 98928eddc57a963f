import { utf8Length } from "../../lib/bytes.ts";
import { UNSHOWABLE } from "../../lib/text-rules.ts";
import { limits } from "../rules.ts";

/** What each field of a send may hold. Pure: every rule answers why a value is refused, or null when it may go out. */

/** Headers the service owns: a caller cannot set them (decisions 4). */
const ownedHeaders =
  /^(from|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*|dkim-.*|arc-.*|authentication-results|received|return-path|resent-.*|sender)$/i;

/** Why a custom header is refused; null when it may go out. RFC 5322 2.2 for names and values. */
export function headerFault(name: string, value: string): string | null {
  if (!/^[A-Za-z0-9-]{1,76}$/.test(name)) return "A header name has letters, digits and hyphens, 76 at most";
  if (ownedHeaders.test(name)) return `${name} is set by the service`;
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value))
    return "A header value must not contain CR, LF or other control characters";
  if (name.length + 2 + utf8Length(value) > limits.lineOctets)
    return `A header line has at most ${limits.lineOctets} octets`;
  return null;
}

/** Why a subject is refused. */
export function subjectFault(subject: string): string | null {
  if (/[\u0000-\u001f\u007f]/.test(subject)) return "A subject must not contain CR, LF or other control characters";
  return utf8Length(subject) > limits.lineOctets ? `A subject has at most ${limits.lineOctets} octets` : null;
}

/** Why a tag is refused. Characters are code points. */
export function tagFault(tag: string): string | null {
  if (tag === "" || Array.from(tag).length > limits.tagCharacters)
    return `A tag has 1 to ${limits.tagCharacters} characters`;
  return /[\u0000-\u001f\u007f]/.test(tag) ? "A tag must not contain control characters" : null;
}

/** Why a file name is refused (specification: Attachment). */
export function filenameFault(filename: string): string | null {
  if (/[/\\]/.test(filename) || UNSHOWABLE.test(filename))
    return "A filename must not contain /, \\, control characters or line breaks";
  if (filename === "") return "A filename must not be empty";
  return utf8Length(filename) > limits.filenameOctets ? `A filename has at most ${limits.filenameOctets} octets` : null;
}

/** Why a media type is refused: type, slash, subtype, perhaps parameters (RFC 2045 5.1, RFC 6838 4.2). */
export function mediaTypeFault(type: string): string | null {
  const wellFormed = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127} *(;[\x20-\x7e]*)?$/.test(type) && type.length <= 255;
  return wellFormed ? null : "A content_type is a media type such as application/pdf, 255 characters at most";
}

/** Why a Content-ID is refused: what stands between the angle brackets of RFC 2045 7. */
export function contentIdFault(id: string): string | null {
  return /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.@-]{1,250}$/.test(id)
    ? null
    : "A content_id has letters, digits and punctuation without spaces, quotes or angle brackets, 250 at most";
}
