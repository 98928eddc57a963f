import { describe, expect, it } from "vitest";
import {
  effectiveScopes,
  isServiceScope,
  roleScopes,
  type Scope,
  type Standing,
  scopes,
} from "../../src/access/accounts/scopes.ts";
import type { Actor } from "../../src/access/caller.ts";
import { requireRight } from "../../src/http/require-right.ts";
import { AppError } from "../../src/lib/errors.ts";
import { isDeniedToOauth, routeScopes, routes } from "../support/route-tests.ts";

/**
 * The product of credentials, roles and granted scopes for the function that decides about every route, without HTTP.
 * matrix.test.ts shows for each route that its requests go through that function.
 */

const all = Object.keys(scopes) as Scope[];
const kinds = ["api_key", "session", "admin session", "oauth", "mailbox", "smtp"] as const;
type Kind = (typeof kinds)[number];
/** Roles, and a member that sees only its mailboxes. */
const standings: readonly Standing[] = [
  ...(["owner", "admin", "member"] as const).map((role) => ({ role, mailboxes_only: 0 as const })),
  { role: "member", mailboxes_only: 1 },
];
const ofMailboxes: readonly Scope[] = ["mailboxes:view", "inbox:read", "inbox:write"];

/** The grants of a credential: nothing, everything, each scope alone, and everything but one scope. */
const grants: readonly (readonly string[])[] = [
  [],
  ["*"],
  ["unknown", "operator:backup", "gateway", "session", "any", "platform_admin"],
  ...all.map((scope) => [scope]),
  ...all.map((scope) => all.filter((other) => other !== scope)),
];

function actorOf(kind: Kind, standing: Standing, granted: readonly string[]): Actor {
  const isSession = kind === "session" || kind === "admin session";
  const held = { kind: isSession ? "session" : kind, role: standing.role, scopes: effectiveScopes(granted, standing) };
  return { ...held, isPlatformAdmin: kind === "admin session" } as Actor;
}

/** Returns whether docs/contract/scopes.md#required-scopes allows a call: by the credential's kind, its grant and its user's role. */
function isAllowed(route: string, kind: Kind, standing: Standing, granted: readonly string[]): boolean {
  const need = routeScopes[route] ?? "public";
  if (need === "any" || need === "public" || need === "page") return true;
  if (need === "session") return kind === "session" || kind === "admin session";
  if (need === "platform_admin") return kind === "admin session";
  if (isServiceScope(need)) return false;
  if (kind === "oauth" && isDeniedToOauth(route)) return false;
  const isGranted =
    granted.includes("*") || granted.includes(need) || granted.includes(need.replace(/:view$/, ":manage"));
  return isGranted && (standing.mailboxes_only ? ofMailboxes : roleScopes[standing.role]).includes(need);
}

/** Returns whether the function allows or refuses a call. */
function decide(actor: Actor, route: string): string {
  try {
    requireRight(actor, route, routes);
    return "allowed";
  } catch (error) {
    if (error instanceof AppError && error.status === 403) return "refused";
    throw error;
  }
}

describe("the right to call a route", () => {
  for (const kind of kinds) {
    it(`is decided for every route, role and grant of the credential: ${kind}`, () => {
      const wrong: string[] = [];
      let decisions = 0;
      for (const standing of standings) {
        for (const granted of grants) {
          const actor = actorOf(kind, standing, granted);
          for (const route of Object.keys(routeScopes)) {
            decisions++;
            const expected = isAllowed(route, kind, standing, granted) ? "allowed" : "refused";
            if (decide(actor, route) !== expected)
              wrong.push(`${route} ${JSON.stringify(standing)} ${granted}: not ${expected}`);
          }
        }
      }
      expect(wrong).toEqual([]);
      expect(decisions).toBe(standings.length * grants.length * routes.scopes.size);
    });
  }
});
