import type { ServiceScope } from "../access/accounts/scopes.ts";
import { type AccessTokenKind, verifyAccessToken } from "../access/sessions/access-token.ts";
import { utf8 } from "../lib/bytes.ts";
import { notFound, unauthorized } from "../lib/errors.ts";
import type { AppContext } from "./env.ts";

/** The kind of token that each command of the operator signs with a master key. A token of one kind has no other's scope. */
const operatorTokens: Readonly<Record<Exclude<ServiceScope, "gateway" | "metrics">, AccessTokenKind>> = {
  "operator:bootstrap": "bootstrap",
  "operator:sign-in": "operator",
  "operator:backup": "backup",
  "operator:rotation": "rotation",
};

/**
 * Authenticates a program of the service, and sets the subject of an operator's token. Throws 401 without the credential of
 * the scope, and 404 for metrics in a deployment that has no token for them.
 */
export async function authenticateService(c: AppContext, need: ServiceScope): Promise<void> {
  const ctx = c.get("ctx");
  if (need === "gateway") {
    if (await hasBearerSecret(c, ctx.settings.gatewaySecret)) return;
    throw unauthorized("The request does not have the secret of the mail gateway");
  }
  if (need === "metrics") {
    if (metricsTokenOf(c.env) === "") throw notFound("Path");
    if (await hasMetricsToken(c)) return;
    throw unauthorized("The request does not have the token of the metrics");
  }
  const claims = await verifyAccessToken(ctx, operatorTokens[need], readBearer(c));
  if (!claims) throw unsigned();
  c.set("operator", claims.sub);
}

/** Returns the 401 of a command of the operator. */
export const unsigned = () => unauthorized("The request is not signed with a master key of this deployment");

/** Returns whether a request has the token of the operator's monitoring. */
export const hasMetricsToken = (c: AppContext) => hasBearerSecret(c, metricsTokenOf(c.env));

/** Returns METRICS_TOKEN, read without the other settings, of which one may be malformed. */
const metricsTokenOf = (env: object) => (env as { METRICS_TOKEN?: string }).METRICS_TOKEN ?? "";

/** Returns whether a request has this secret as its bearer token. Compares in constant time. False for an empty secret. */
async function hasBearerSecret(c: AppContext, secret: string): Promise<boolean> {
  // Digests have one length, which timingSafeEqual requires.
  const [given, expected] = await Promise.all(
    [readBearer(c), secret].map((text) => crypto.subtle.digest("SHA-256", utf8(text))),
  );
  const isEqual = given !== undefined && expected !== undefined && crypto.subtle.timingSafeEqual(given, expected);
  return secret !== "" && isEqual;
}

/** Returns the token of an `Authorization: Bearer` header (RFC 6750 2.1), or an empty text. */
const readBearer = (c: AppContext): string => /^Bearer +(.+)$/i.exec(c.req.header("Authorization") ?? "")?.[1] ?? "";
