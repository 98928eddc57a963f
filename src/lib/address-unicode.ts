/** Unicode that the local part and the domain of an address may contain (RFC 6531 3.3, RFC 6532 3.1). */

/** Controls, format characters (bidi controls), surrogates, private use, unassigned, spaces, invisible characters. */
const INVISIBLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
const LEADING_MARK = /(?:^|\.)\p{M}/u;

/**
 * Returns whether text is well-formed Unicode in NFC without invisible characters, combining marks at the start of an atom or label, and
 * characters that NFKC converts to ASCII (`＠`, `ﬁ`, `①`). Of ASCII only controls and spaces are checked.
 */
export function isPlainUnicode(text: string): boolean {
  if (!text.isWellFormed() || INVISIBLE.test(text) || LEADING_MARK.test(text)) return false;
  return text.normalize("NFC") === text && !Array.from(text).some(foldsToAscii);
}

function foldsToAscii(character: string): boolean {
  return character > "\u007f" && /[\0-\u007f]/.test(character.normalize("NFKC"));
}
