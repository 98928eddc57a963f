/** Limits of imports and exports of mailboxes. Pure. */

import { MEBIBYTE } from "../../../lib/bytes.ts";

/** The most that an import or export reads, parses or stores before other requests get their turn: messages, and their bytes. */
export const archiveStep = { rows: 20, bytes: MEBIBYTE } as const;

/**
 * Messages of one transaction of the mailbox, their bytes, and the characters that the search index gets of them: indexing
 * takes most of the time of the transaction. A message beyond a bound is stored alone.
 */
export const importBatch = { messages: 25, bytes: 4 * MEBIBYTE, searchCharacters: 65_536 } as const;

/**
 * The most that is imported before the response; a larger archive, or the rest of one with more messages, is imported in the background. The
 * bytes of its messages are bounded by those of the archive and by what it may decompress to.
 */
export const importNow = {
  archiveBytes: 8 * MEBIBYTE,
  messages: 1_000,
  bytes: Number.POSITIVE_INFINITY,
} as const;

/** Messages and their bytes that one run in the background imports, so that other work of the queue gets its turn. */
export const importRun = { messages: 500, bytes: 32 * MEBIBYTE } as const;

/** Messages, issues included, and bytes of messages. */
export interface RunBounds {
  messages: number;
  bytes: number;
}

/** Returns whether a run has taken as much as it may. It takes one message at least. */
export function isBeyond(taken: RunBounds, bounds: RunBounds): boolean {
  return taken.messages >= bounds.messages || taken.bytes >= bounds.bytes;
}
