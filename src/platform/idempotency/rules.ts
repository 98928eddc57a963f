/** How long a response is stored under its Idempotency-Key. */
export const RESPONSE_TTL_MS = 24 * 3_600_000;

/** Greatest response that the row of its key has itself, in bytes. */
export const ROW_BYTES = 16 * 1024;
/** The same while the main database is nearly full. */
export const FULL_ROW_BYTES = 1024;
