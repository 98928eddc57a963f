import { ImapSyntaxError } from "./cursor.ts";

const PRINTABLE = /^[\x20-\x25\x27-\x7e]$/;

/**
 * Returns a folder name in modified UTF-7 (RFC 3501 5.1.3), as clients see it that have not enabled UTF-8.
 */
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

/** Returns the folder name of a modified UTF-7 text. Throws ImapSyntaxError for a text that `encodeFolderName` does not make. */
export function decodeFolderName(text: string): string {
  const name = text.replace(/&([^-]*)(-?)/g, (_, base64: string, end: string) => {
    if (end === "") throw new ImapSyntaxError("The mailbox name is not modified UTF-7");
    return base64 === "" ? "&" : fromBase64(base64);
  });
  // Two texts of one folder would be two names for a client, so others than the shortest are refused.
  if (encodeFolderName(name) !== text) throw new ImapSyntaxError("The mailbox name is not modified UTF-7");
  return name;
}

function toBase64(text: string): string {
  let bytes = "";
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    bytes += String.fromCharCode(code >> 8, code & 0xff);
  }
  return btoa(bytes).replaceAll("/", ",").replace(/=+$/, "");
}

function fromBase64(base64: string): string {
  if (!/^[A-Za-z0-9+,]+$/.test(base64)) throw new ImapSyntaxError("The mailbox name is not modified UTF-7");
  let bytes: string;
  try {
    bytes = atob(base64.replaceAll(",", "/"));
  } catch {
    throw new ImapSyntaxError("The mailbox name is not modified UTF-7");
  }
  if (bytes.length % 2 === 1) throw new ImapSyntaxError("The mailbox name is not modified UTF-7");
  let text = "";
  for (let at = 0; at < bytes.length; at += 2)
    text += String.fromCharCode((bytes.charCodeAt(at) << 8) | bytes.charCodeAt(at + 1));
  if (!text.isWellFormed()) throw new ImapSyntaxError("The mailbox name is not modified UTF-7");
  return text;
}
