import { scrypt as compute, type ScryptOptions } from "node:crypto";

/** Keys that were derived in this isolate, by password and salt. */
const known = new Map<string, Buffer>();

/**
 * scrypt of node:crypto, which derives the key of a password and a salt once: it takes some 50 ms of CPU, and tests verify the
 * passwords that they have set, or guess one wrong password again and again. test/support/bundled-source.ts gives it to the source.
 */
export function scrypt(
  password: string,
  salt: Uint8Array,
  keyBytes: number,
  cost: ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
): void {
  const name = JSON.stringify([password, [...salt], keyBytes, cost]);
  const key = known.get(name);
  if (key !== undefined) {
    queueMicrotask(() => done(null, key));
    return;
  }
  compute(password, salt, keyBytes, cost, (error, derived) => {
    if (!error) known.set(name, derived);
    done(error, derived);
  });
}
