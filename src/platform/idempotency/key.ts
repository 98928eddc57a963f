/**
 * The Idempotency-Key of a request. Only hashes of the key are stored. `keys` has one hash per master key, newest first:
 * a response is stored under the first and found under any.
 */
export interface Idempotency {
  keys: readonly string[];
  /** Of method, path and body. */
  fingerprint: string;
  /**
   * Set when the key was not given by the caller: a stored response is replayed for this time only, in ms, and not when its
   * fields `connection` and `sequence`, or those of one of its `receipts`, are of an earlier message of this connection, whose
   * response the client has received.
   */
  repeats?: { ttlMs: number; connection: string; sequence: number };
  /** Returns the keys derived from the Idempotency-Key and each master key, newest first, for sealed responses. */
  sealingKeys: () => Promise<readonly string[]>;
}
