import type { Cursor } from "./cursor.ts";
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
  return name.toUpperCase() === "INBOX" ? "INBOX" : name;
}

/** Reads a pattern of LIST. Wildcards stay as they are. */
export function readPattern(cursor: Cursor, { allowsUtf8 }: Syntax): string {
  const pattern = cursor.listPattern();
  return allowsUtf8 ? pattern : decodeFolderName(pattern);
}
