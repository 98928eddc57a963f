import { utf8Length } from "../../lib/bytes.ts";
import { type Cursor, ImapError, ImapSyntaxError } from "./cursor.ts";
import { decodeFolderName } from "./folder-names.ts";

/** How names of folders are written: in modified UTF-7, or in UTF-8 after ENABLE UTF8=ACCEPT. */
export interface Syntax {
  allowsUtf8: boolean;
}

/** Reads a space and then a value. */
export function afterSpace<Value>(cursor: Cursor, read: () => Value): Value {
  cursor.expect(" ");
  return read();
}

/** Reads a space and the name of a folder. */
export function readFolder(cursor: Cursor, { allowsUtf8 }: Syntax): string {
  const name = afterSpace(cursor, () => cursor.astring());
  return toFolder(name, allowsUtf8);
}

/** INBOX has its name in any letter case (RFC 3501 5.1). */
export function toFolder(text: string, allowsUtf8: boolean): string {
  const name = allowsUtf8 ? text : decodeFolderName(text);
  // No folder has one, and a response that repeats it would break into lines.
  if (/\p{Cc}/u.test(name)) throw new ImapError("A mailbox name has a control character", "CANNOT");
  return name.toUpperCase() === "INBOX" ? "INBOX" : name;
}

/** Most octets of the patterns of a LIST, each with its reference. */
const MAX_PATTERN = 1_000;

/** Refuses patterns that are longer than any folder name needs: each is compared with every folder. */
export function requireShort(reference: string, patterns: readonly string[]): void {
  const lengthOf = (pattern: string) => Math.max(1, utf8Length(reference) + utf8Length(pattern));
  const length = patterns.reduce((sum, pattern) => sum + lengthOf(pattern), 0);
  if (length > MAX_PATTERN)
    throw new ImapSyntaxError(`The patterns have ${length} octets; the limit is ${MAX_PATTERN}`);
}

/** Reads a pattern of LIST. Wildcards stay as they are. */
export function readPattern(cursor: Cursor, { allowsUtf8 }: Syntax): string {
  const pattern = cursor.listPattern();
  return allowsUtf8 ? pattern : decodeFolderName(pattern);
}
