/** The rules that both readers of CSV files share: that of the import (reader.ts) and that of the browser (preview.ts). */

/** Separators that are detected. */
export const DELIMITERS = [",", ";", "\t", "|"] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/**
 * Reads the line `sep=;` with which Excel names the separator. It is no row of the file: spreadsheets count rows after it. Returns
 * the separator and the number of characters of the line, all ASCII, or null when a text begins with no such line.
 */
export function readSeparatorLine(text: string): { delimiter: Delimiter; length: number } | null {
  const found = /^"?sep=(.)"?(?:\r\n|\n|\r)/i.exec(text.slice(0, MAX_SEPARATOR_LINE));
  const delimiter = DELIMITERS.find((known) => known === found?.[1]);
  return found && delimiter ? { delimiter, length: found[0].length } : null;
}

/** Characters of the longest line of `readSeparatorLine`: `"sep=;"` and CRLF. */
export const MAX_SEPARATOR_LINE = 9;

/**
 * Greatest number of characters of the cells of a record after the header, where the last cell counts in bytes. A quote that is
 * not closed would otherwise make one record of the rest of a file.
 */
export const MAX_RECORD_CHARACTERS = 131_072;
