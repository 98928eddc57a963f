import { type Scope, scopes } from "../../access/accounts/scopes.ts";
import { splitWords } from "./rules.ts";

/** Scopes that a client may ask for: all but those whose every endpoint refuses OAuth (docs/contract/scopes.md#credentials-and-oauth). */
export const grantableScopes = (Object.keys(scopes) as Scope[]).filter((scope) => !scope.startsWith("smtp:"));

/** Scopes of a client that asks for none: nothing is changed and nothing is sent. */
const DEFAULT_SCOPES: readonly Scope[] = [
  "emails:view",
  "contacts:view",
  "templates:view",
  "broadcasts:view",
  "analytics:view",
];

/**
 * Returns the scopes that a client asks for. Unknown ones are left out, as RFC 6749 3.3 permits: clients add
 * `offline_access` or `openid` of other services. Empty when it asks for unknown ones only.
 */
export function requestedScopes(scope: string | undefined): Scope[] {
  const words = splitWords(scope ?? "");
  return words.length === 0 ? [...DEFAULT_SCOPES] : grantableScopes.filter((known) => words.includes(known));
}
