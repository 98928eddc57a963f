import { scrypt as nodeScrypt, type ScryptOptions } from "node:crypto";
import { fromBase64, toBase64 } from "../../lib/bytes.ts";
import { OneAtATime } from "../../lib/one-at-a-time.ts";

/** Cost of scrypt: 16 MiB, about 150 ms (OWASP password storage; N = 2^14, r = 8, p = 5). */
const COST: ScryptOptions = { N: 2 ** 14, r: 8, p: 5 };
/** Those of this isolate: workerd computes them on the thread of all requests, so many at once would leave no turn between. */
const derivations = new OneAtATime();
const KEY_BYTES = 32;
const SALT_BYTES = 16;

/** Hashes a password (scrypt, RFC 7914). Returns `scrypt.<salt>.<key>` in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  return ["scrypt", toBase64(salt), toBase64(await derive(password, salt))].join(".");
}

/** Returns whether a password has this hash. Without one it takes as long, so that no time tells which mailboxes exist. */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const [, salt = "", key = ""] = (hash ?? `scrypt.${toBase64(new Uint8Array(SALT_BYTES))}.`).split(".");
  const derived = await derive(password, fromBase64(salt));
  const expected = fromBase64(key);
  return expected.length === KEY_BYTES && crypto.subtle.timingSafeEqual(derived, expected);
}

/** Compares in NFKC, because keyboards write the same character in different ways (RFC 8265 4.2). */
function derive(password: string, salt: Uint8Array): Promise<Uint8Array> {
  const run = () =>
    new Promise<Uint8Array>((resolve, reject) => {
      nodeScrypt(password.normalize("NFKC"), salt, KEY_BYTES, COST, (error, key) => {
        if (error) reject(error);
        else resolve(new Uint8Array(key));
      });
    });
  return derivations.run(run);
}
