import { readStart } from "../../../lib/csv/file.ts";
import { guessUses } from "../../../lib/csv/guess.ts";
import { readLeft } from "../../../sending/suppressions/index.ts";

/** Returns the header and the first rows of a file, and what its columns seem to be. Throws 400 as `readStart` does. */
export async function guessColumns(file: Uint8Array, now: number) {
  const start = await readStart(file);
  const saysWhoLeft = (cells: readonly string[]) => cells.every((cell) => readLeft(cell, now) !== undefined);
  return { ...start, uses: guessUses(start.header, start.rows, saysWhoLeft) };
}
