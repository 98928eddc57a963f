/** Limits of imports and exports of mailboxes. Pure. */

const MEBIBYTE = 1024 * 1024;

/**
 * What an import or export processes before other requests get their turn: messages that are read, parsed or stored, and
 * bytes that go through one of these.
 */
export const archiveStep = { rows: 20, bytes: MEBIBYTE } as const;

/**
 * Messages of one transaction of the mailbox, their bytes, and the characters that the search index gets of them: indexing
 * takes most of the time of the transaction. A message beyond a bound is stored alone.
 */
export const importBatch = { messages: 25, bytes: 4 * MEBIBYTE, searchCharacters: 262_144 } as const;
