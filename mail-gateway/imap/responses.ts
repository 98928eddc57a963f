import { encodeFolderName } from "../../src/mail/imap/folder-names.ts";
import type { MessageState } from "./mailbox.ts";

/** Returns the flags of a message as FETCH writes them. */
export function formatFlags({ flags, keywords }: Pick<MessageState, "flags" | "keywords">): string {
  return `(${[...flags, ...keywords].join(" ")})`;
}

/** Returns a text as a quoted string. It must have no CR, LF or NUL. */
export const quote = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

/** Returns the name of a folder as this client reads it, one character for each byte. */
export function formatFolder(name: string, allowsUtf8: boolean): string {
  const text = allowsUtf8 ? Buffer.from(name, "utf8").toString("latin1") : encodeFolderName(name);
  return /^[!#-$&-'+-Z^-z|}~]+$/.test(text) && text.toUpperCase() !== "NIL" ? text : quote(text);
}

/** Returns the announcement of a literal. */
export const literalOf = (bytes: number): string => `{${bytes}}\r\n`;
