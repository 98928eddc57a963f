import { toBase64Url } from "./bytes.ts";

/** Returns a token of 256 random bits, as 43 characters of base64url. */
export function randomToken(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}
