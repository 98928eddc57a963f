/** The rules that both readers of CSV files share: that of the import (reader.ts) and that of the browser (preview.ts). */

/** Separators that are detected. */
export const DELIMITERS = [",", ";", "\t"] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/**
 * Greatest number of characters of the cells of a record after the header, where the last cell counts in bytes. A quote that is
 * not closed would otherwise make one record of the rest of a file.
 */
export const MAX_RECORD_CHARACTERS = 131_072;
