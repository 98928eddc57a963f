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
