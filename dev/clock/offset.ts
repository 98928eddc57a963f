import { unwatchFile, watchFile } from "node:fs";
import type { Layout } from "../layout.ts";
import { readJson, writeDurably } from "../state/files.ts";

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Furthest that the clock can be ahead: two years, after which everything that is kept for a time has been deleted. */
const MAX_OFFSET_MS = 730 * 86_400_000;
/** How often the running service looks for a change of the clock. */
const WATCH_MS = 500;

/**
 * Returns by how much the clock is ahead after a change, in ms. `change` is `+` with a number of minutes (`m`), hours (`h`) or days
 * (`d`), or `reset`. Throws an Error for another text and beyond two years. Pure.
 */
export function changedOffset(offset: number, change: string): number {
  if (change === "reset") return 0;
  const [, number = "", unit = ""] = /^\+(\d{1,6})([mhd])$/.exec(change) ?? [];
  const changed = offset + Number(number) * (UNITS_MS[unit] ?? Number.NaN);
  if (Number.isNaN(changed)) throw new Error(`"${change}" is no change of the clock. Give +7d, +36h, +90m or reset.`);
  if (changed > MAX_OFFSET_MS) throw new Error("The clock can be at most two years ahead.");
  return changed;
}

/** Returns by how much the clock of a local service is ahead, in ms. */
export async function readOffset(layout: Layout): Promise<number> {
  return (await readJson<{ offset_ms: number }>(layout.clockFile))?.offset_ms ?? 0;
}

/** Stores by how much the clock is ahead. A running service notices it within a second. */
export async function writeOffset(layout: Layout, offset: number): Promise<void> {
  await writeDurably(layout.clockFile, JSON.stringify({ offset_ms: offset }));
}

/** Calls `onChange` whenever the clock was moved, until the returned function is called. */
export function watchOffset(layout: Layout, onChange: () => void): () => void {
  // A file that does not exist is reported once, as a change from nothing to nothing.
  watchFile(layout.clockFile, { interval: WATCH_MS }, (now, before) => {
    if (now.mtimeMs !== before.mtimeMs) onChange();
  });
  return () => unwatchFile(layout.clockFile);
}
