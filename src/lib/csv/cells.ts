/** Cells of CSV files that spreadsheets open (RFC 4180, docs/contract/contacts.md#csv-export). Pure. */

/** First characters that make a cell a formula, and the mark itself. Spreadsheets of East Asian locales take full-width signs too. */
const STARTS = "=+\\-@'\\t\\r\\n\uff1d\uff0b\uff0d\uff20";
const MARKED = new RegExp(`^[${STARTS}]`);
const MARK = new RegExp(`^'(?=[${STARTS}])`);
/** Texts for which a cell is quoted: with a separator, a quote or a line break, or with a space at an end, which is lost without quotes. */
const QUOTED = /[",;|\t\r\n]|^\s|\s$/;

/** Marks a text that a spreadsheet would take for a formula with an apostrophe. */
export const markFormula = (text: string): string => (MARKED.test(text) ? `'${text}` : text);

/** Removes the mark of `markFormula`. An apostrophe before other text stays. */
export const unmarkFormula = (text: string): string => text.replace(MARK, "");

/** Returns a record with its line break. Marks formulas and quotes cells where needed. */
export const formatRecord = (cells: readonly string[]): string => `${cells.map(formatCell).join(",")}\r\n`;

function formatCell(text: string): string {
  const cell = markFormula(text);
  return QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
