import { MEBIBYTE } from "../../lib/bytes.ts";

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
