import { iso } from "../../lib/time.ts";
import type { Entered } from "./advance.ts";

/** Returns lines of a history as the row of a run has them: JSON, each with a comma behind it, so that further ones are appended. */
export const toHistory = (lines: readonly Entered[]): string =>
  lines.map((line) => `${JSON.stringify(line)},`).join("");

/** Bytes of the history of a run to which nothing is added: its steps take far less, but it may be put off day after day. */
const HISTORY_BYTES = 200_000;

/** Returns SQL of the history of a run with further lines, an SQL expression of `toHistory`. */
export const addedHistorySql = (lines: string): string =>
  `iif(octet_length(history) > ${HISTORY_BYTES}, history, history || ${lines})`;

/** Returns the lines of a history that the row of a run has. */
export const parseHistory = (history: string): Entered[] => JSON.parse(`[${history.replace(/,$/, "")}]`) as Entered[];

/** Returns lines of a history with times as the API shows them. */
export const toLines = (history: readonly Entered[]) =>
  history.map(({ at, step, text }) => ({ at: iso(at), step, text }));

/** Patterns of lines that tell why a step was passed over, put off or refused, or why the run has ended before its last step. */
const TOLD = [
  ...["Sent no email: %", "Did not %", "Has chosen otherwise %", "Left: %", "Taken out %", "The daily limit %"],
  ...["Waits until %: %", "%condition does not hold.", "% did not come: %", "% does not exist any more."],
];

/**
 * Returns SQL of the newest of these lines, at most `max`, of a history: a JSON list of objects with `at` and `text`, which begins with a
 * name. `name` and `history` are SQL expressions.
 */
export const toldLinesSql = (name: string, history: string, max: number): string => `(
  SELECT json_group_array(json_object('at', line->>'at', 'text', ${name} || ': ' || (line->>'text'))) FROM (
    SELECT value AS line FROM json_each('[' || rtrim(${history}, ',') || ']')
     WHERE ${TOLD.map((pattern) => `value->>'text' LIKE '${pattern}'`).join(" OR ")} ORDER BY key DESC LIMIT ${max}))`;
