import { Buffer } from "node:buffer";
import { ImapError } from "./cursor.ts";

const PRINTABLE = /^[\x20-\x25\x27-\x7e]$/;

/** Returns a folder name in modified UTF-7 (RFC 3501 5.1.3), as clients see it that have not enabled UTF-8. */
export function encodeFolderName(name: string): string {
  let encoded = "";
  for (let at = 0; at < name.length; ) {
    const character = name[at] ?? "";
    if (character === "&" || PRINTABLE.test(character)) {
      encoded += character === "&" ? "&-" : character;
      at += 1;
      continue;
    }
    const from = at;
    while (at < name.length && !/^[\x20-\x7e]$/.test(name[at] ?? "")) at += 1;
    encoded += `&${toBase64(name.slice(from, at))}-`;
  }
  return encoded;
}

/** Returns the folder name of a modified UTF-7 text. Throws ImapError for a text that `encodeFolderName` does not make. */
export function decodeFolderName(text: string): string {
  const name = text.replace(/&([^-]*)-?/g, (_, base64: string) => (base64 === "" ? "&" : fromBase64(base64)));
  // Two texts of one folder would be two names for a client, so others than the shortest are refused.
  if (encodeFolderName(name) !== text) throw new ImapError("The mailbox name is not modified UTF-7", "CANNOT");
  return name;
}

/** Returns UTF-16 in the base64 of mailbox names. */
const toBase64 = (text: string) =>
  Buffer.from(text, "utf16le").swap16().toString("base64").replaceAll("/", ",").replace(/=+$/, "");

/** Returns the text of base64; an empty one, which no name encodes, when it is not UTF-16. */
function fromBase64(base64: string): string {
  const bytes = Buffer.from(base64.replaceAll(",", "/"), "base64");
  const text = bytes.length % 2 === 0 ? bytes.swap16().toString("utf16le") : "";
  return text.isWellFormed() ? text : "";
}
