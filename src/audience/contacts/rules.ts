import { MEBIBYTE } from "../../lib/bytes.ts";
import { UNPRINTABLE } from "../../lib/text-rules.ts";

/** Limits of contact lists and contacts (docs/contract/limits.md#counts). */
export const limits = {
  listsPerWorkspace: 10_000,
  nameCharacters: 200,
  descriptionCharacters: 2_000,
  iconSeedCharacters: 200,
  /** JSON of the metadata of one contact, in bytes. */
  metadataBytes: 65_536,
} as const;

/** Limits of CSV files (docs/contract/contacts.md#csv-import). */
export const importLimits = {
  rows: 100_000,
  fileBytes: 24 * MEBIBYTE,
  /** Of a file in another encoding than UTF-8. */
  recodedBytes: 8 * MEBIBYTE,
  /**
   * Rows and bytes of one transaction, which one step reads: a byte may be a cell of its own. A thousand rows of up to 500 bytes take
   * at most 4 D1 calls when none is suppressed, and a file of the greatest size less than 400.
   */
  rowsPerBatch: 1_000,
  bytesPerBatch: 262_144,
} as const;

/** The most that the checks of a file read before other requests get their turn. Its rows are read and stored by the batch. */
export const importStep = { rows: importLimits.rowsPerBatch, bytes: 2 * 1024 * 1024 } as const;

/** Limits of an export. A page is what is read at a time: rows, and bytes of metadata. */
export const exportLimits = { keys: 2_000, rowsPerPage: 1_000, metadataPerPage: 2_000_000 } as const;

/** Returns whether a text, before trimming, has no control characters and no line breaks. */
export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text);
}

/** Returns the states that a contact shows for its marks: the reason on the suppression list, and two others besides. */
export function stateOf({
  suppressed: reason,
  unsubscribed,
  soft_bounced,
}: {
  suppressed: string | null;
  unsubscribed: 0 | 1;
  soft_bounced: 0 | 1;
}): { subscribed: boolean; suppressed: boolean } {
  const isSuppressed = reason !== null && reason !== "unsubscribe";
  return { subscribed: unsubscribed === 0, suppressed: isSuppressed || soft_bounced === 1 };
}

/**
 * Returns, as parameters of an UPDATE, whether name and metadata are changed and their new values. An absent field keeps
 * its value; null clears it.
 */
export function changeParameters(fields: {
  name?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}): unknown[] {
  const { name, metadata } = fields;
  return [
    name === undefined ? 0 : 1,
    name ?? null,
    metadata === undefined ? 0 : 1,
    metadata ? JSON.stringify(metadata) : null,
  ];
}
