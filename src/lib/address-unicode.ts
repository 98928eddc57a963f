/** Which text beyond ASCII an address may hold (RFC 6531 3.3, RFC 6532 3.1), shared by both its halves. */

/** Controls, format characters (bidi controls), surrogates, private use, unassigned, spaces, invisible characters. */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
const LEADING_MARK = /(?:^|\.)\p{M}/u;

/**
 * True when text is well-formed Unicode in NFC, holds nothing invisible, no combining mark at the start of
 * an atom or label, and no character that compatibility folding (NFKC) would turn into ASCII (`＠`, `ﬁ`, `①`).
 * Says nothing about ASCII beyond controls and spaces.
 */
export function isPlainUnicode(text: string): boolean {
  if (!text.isWellFormed() || UNSEEN.test(text) || LEADING_MARK.test(text)) return false;
  return text.normalize("NFC") === text && !Array.from(text).some(foldsToAscii);
}

function foldsToAscii(character: string): boolean {
  return character > "\u007f" && /[\0-\u007f]/.test(character.normalize("NFKC"));
}
