import { iso } from "../../lib/time.ts";
import type { Entered } from "./advance.ts";

/** Returns lines of a history as the row of a run has them: JSON, each with a comma behind it, so that further ones are appended. */
export const toHistory = (lines: readonly Entered[]): string =>
  lines.map((line) => `${JSON.stringify(line)},`).join("");

/** Bytes of the history of a run: its steps take far less. A run that is put off day after day tells no more of it. */
const HISTORY_BYTES = 200_000;

/** Returns SQL of the history of a run with lines behind it, as an SQL expression of `toHistory`. */
export const addedHistorySql = (lines: string): string =>
  `iif(octet_length(history) + octet_length(${lines}) > ${HISTORY_BYTES}, history, history || ${lines})`;

/** Returns the lines of a history that the row of a run has. */
export const parseHistory = (history: string): Entered[] => JSON.parse(`[${history.replace(/,$/, "")}]`) as Entered[];

/** Returns lines of a history with times as the API shows them. */
export const toLines = (history: readonly Entered[]) =>
  history.map(({ at, step, text }) => ({ at: iso(at), step, text }));
