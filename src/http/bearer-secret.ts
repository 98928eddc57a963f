import type { Context } from "hono";
import { utf8 } from "../lib/bytes.ts";
import type { AppEnv } from "./env.ts";

/** Returns whether a request has this secret as its bearer token. Compares in constant time. False for an empty secret. */
export async function hasBearerSecret(c: Context<AppEnv>, secret: string): Promise<boolean> {
  const [, token = ""] = /^Bearer +(.+)$/i.exec(c.req.header("Authorization") ?? "") ?? [];
  // Digests have one length, which timingSafeEqual requires.
  const [given, expected] = await Promise.all(
    [token, secret].map((text) => crypto.subtle.digest("SHA-256", utf8(text))),
  );
  const isEqual = given !== undefined && expected !== undefined && crypto.subtle.timingSafeEqual(given, expected);
  return secret !== "" && isEqual;
}
