import type { FailureClass } from "./status-codes.ts";

/** A phrase in the replies of mail servers, what a failure with it is about, and who writes it. */
export interface PhraseRow {
  class: FailureClass;
  /** Provider, program or section of an RFC. */
  source: string;
  pattern: RegExp;
}

/**
 * Returns the rows of a table. Each line is `source | pattern`; the source says what the pattern means and who writes it. Patterns are
 * applied to normalized text (RFC 5321 4.2): lower case, straight apostrophes, single spaces, `@` for every address, `%` for hosts.
 */
export function phraseRows(about: FailureClass, table: string): PhraseRow[] {
  return table
    .trim()
    .split(/\n\s*/)
    .map((line) => {
      const at = line.indexOf(" | ");
      return { class: about, source: line.slice(0, at).trim(), pattern: new RegExp(line.slice(at + 3)) };
    });
}
