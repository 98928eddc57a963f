/** SQLite's page size and what follows from it for a table's rows (SQLite file format 1.6), in bytes. */
const PAGE = 4_096;
/** A row that does not fit into a page keeps this much of it, and the rest that does not fill an overflow page. */
const LEAST_LOCAL = Math.floor(((PAGE - 12) * 32) / 255) - 23;
const OVERFLOW_PAGE = PAGE - 4;
/** Aim above LEAST_LOCAL, because the length of a row is not known exactly. A settled row is longer still. */
const MARGIN = 200;
/** Bytes of the header of a row, and of its numbers. */
const ROW_HEADER = 100;
/** Shorter content takes no more than the events that the email gets until it is settled. */
const UNPADDED_CONTENT = 256;

/**
 * Returns the number of spaces after the content in a row, so that nearly all of it lies in overflow pages. SQLite uses these again when
 * the content is cleared, but not what a shorter row leaves free in its page: of 2 KB of content, that would be 3.3 KB until the email is
 * deleted. `textBytes` is the length of the other columns.
 */
export function contentPadding(contentBytes: number, textBytes: number): number {
  if (contentBytes <= UNPADDED_CONTENT) return 0;
  const row = ROW_HEADER + textBytes + contentBytes - LEAST_LOCAL - MARGIN;
  return Math.max(1, Math.ceil(row / OVERFLOW_PAGE)) * OVERFLOW_PAGE - row;
}
