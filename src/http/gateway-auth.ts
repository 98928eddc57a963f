import type { MiddlewareHandler } from "hono";
import { unauthorized } from "../errors.ts";
import { utf8 } from "../lib/bytes.ts";
import type { AppEnv } from "./env.ts";

/** Middleware: throws 401 unless the request has the secret of the SMTP gateway. Compares in constant time. */
export const requireGateway: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { gatewaySecret } = c.get("ctx").settings;
  const [, token = ""] = /^Bearer +(.+)$/i.exec(c.req.header("Authorization") ?? "") ?? [];
  // Digests have one length, which timingSafeEqual requires.
  const [given, expected] = await Promise.all(
    [token, gatewaySecret].map((text) => crypto.subtle.digest("SHA-256", utf8(text))),
  );
  const isEqual = given !== undefined && expected !== undefined && crypto.subtle.timingSafeEqual(given, expected);
  if (gatewaySecret === "" || !isEqual) throw unauthorized("The request does not have the secret of the SMTP gateway");
  await next();
};
