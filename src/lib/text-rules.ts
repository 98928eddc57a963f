import { canonicalDomain } from "./address-domain.ts";
import { parseAddress } from "./addresses.ts";
import { utf8Length } from "./bytes.ts";

/** Rules for short texts that people read: display names, file names, names of records. */

/** Control characters and line separators, which no name may contain. */
export const UNPRINTABLE = /[\p{Cc}\u2028\u2029]/u;
/** Greatest length of a display name, in bytes of UTF-8 (docs/contract/limits.md#one-email). */
export const NAME_BYTES = 320;

/**
 * Characters that are not visible and change how other characters look or compare: bidirectional embeddings, overrides
 * and isolates, zero-width spaces, soft hyphens, and other format controls (Unicode TR 36 2.5). U+061C and U+200C to
 * U+200F are not among them: emoji, Persian, Hebrew and Indic text need them.
 */
const INVISIBLE =
  /[\u00ad\u180e\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0001}\u{e0020}-\u{e007f}]/u;
/** A flag of a region such as Scotland, which is spelled with tag characters (Unicode TS 51, emoji tag sequences). */
const REGION_FLAG = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu;
const INVISIBLE_OR_FLAG = new RegExp(`${REGION_FLAG.source}|${INVISIBLE.source}`, "gu");
const REGION_FLAG_ONLY = new RegExp(`^${REGION_FLAG.source}$`, "u");
const UNPRINTABLES = new RegExp(`${UNPRINTABLE.source}+`, "gu");

/** Returns a text on one line: runs of control characters and line separators become one space. */
export const onOneLine = (text: string): string => text.replace(UNPRINTABLES, " ").trim();

/** Every invisible character, those included that a name may contain. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/** `/` and `\`, and the characters that fonts or systems turn into them (NFKC, best-fit code pages). */
const PATH_SEPARATOR = /[/\\\u2044\u2215\u29f5\u29f8\ufe68\uff0f\uff3c]/u;

const PATH_SEPARATORS = new RegExp(PATH_SEPARATOR.source, "gu");
/** Characters that are searched before and after an @: a search without an end would take quadratic time. */
const MAX_LOCAL = 64;
const MAX_DOMAIN = 255;

/** Returns why a display name is refused, or null when it is valid. */
export function nameIssue(name: string): string | null {
  const bytes = utf8Length(name);
  if (bytes > NAME_BYTES) return `A name is ${bytes} bytes; the limit is ${NAME_BYTES}`;
  return visibleIssue("A name", name);
}

/** Returns why a display name of the mailbox `key` (a canonical address) is refused: it reads as another address. */
export function misleadingNameIssue(name: string, key: string | null): string | null {
  const address = findAddress(name, key);
  return address === null ? null : `A name must not read as another address; this one contains ${address}`;
}

/** Returns why a file name is refused, or null when it is valid. Its length is not checked here. */
export function filenameIssue(filename: string): string | null {
  if (filename === "") return "A filename must not be empty";
  if (filename === "." || filename === "..") return `A filename must not be ${filename}, which names a folder`;
  const separator = PATH_SEPARATOR.exec(filename);
  if (separator) return `A filename must not contain a path separator (${codePoint(separator[0])})`;
  return visibleIssue("A filename", filename);
}

/** Removes the invisible characters that names must not contain. Flags of regions stay. */
export function removeInvisible(text: string): string {
  return text.replace(INVISIBLE_OR_FLAG, (character) => (REGION_FLAG_ONLY.test(character) ? character : ""));
}

/**
 * Returns a filename that filenameIssue accepts, for content that was stored before its rules: controls and invisible
 * characters are removed, path separators become `_`, and an empty name, `.` and `..` become `attachment`.
 */
export function cleanFilename(filename: string): string {
  const clean = removeInvisible(filename.toWellFormed().replace(UNPRINTABLES, "")).replace(PATH_SEPARATORS, "_");
  return clean === "" || clean === "." || clean === ".." ? "attachment" : clean;
}

/** Returns a display name that visibleIssue accepts: runs of controls become one space, invisible characters are removed. */
export function cleanName(name: string): string {
  return removeInvisible(name.toWellFormed().replace(UNPRINTABLES, " ")).trim();
}

/**
 * Replaces the controls of text direction in a file name of a received message by their code points: `photo[U+202E]gpj.exe` shows the
 * order in which the characters stand (Unicode TR 36 2.5).
 */
export function markBidiControls(text: string): string {
  return text.replace(/\p{Bidi_Control}/gu, (control) => `[${codePoint(control)}]`);
}

function visibleIssue(field: string, text: string): string | null {
  if (UNPRINTABLE.test(text)) return `${field} must not contain control characters or line breaks`;
  const invisible = INVISIBLE.exec(text.replace(REGION_FLAG, ""));
  return invisible && `${field} must not contain invisible characters (${codePoint(invisible[0])})`;
}

/** Returns the first text that a reader takes for an address other than `ownKey`. Fullwidth forms count as plain ones. */
function findAddress(name: string, ownKey: string | null): string | null {
  const plain = name.replace(IGNORABLE, "").normalize("NFKC").replaceAll("\u3002", ".");
  const parts = plain.split("@");
  for (let index = 1; index < parts.length; index++) {
    const local = /[\p{L}\p{M}\p{N}!#$%&*+/=?^_`{|}~.-]+$/u.exec((parts[index - 1] ?? "").slice(-MAX_LOCAL))?.[0];
    const domain = /^[\p{L}\p{M}\p{N}.-]*[\p{L}\p{M}\p{N}]/u.exec((parts[index] ?? "").slice(0, MAX_DOMAIN))?.[0];
    if (!local || !domain || canonicalDomain(domain) === null) continue;
    const address = `${local}@${domain}`;
    if (ownKey === null || parseAddress(address)?.key !== ownKey) return address;
  }
  return null;
}

/** Returns the code point of a character, as `U+00A0`. */
export const codePoint = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
