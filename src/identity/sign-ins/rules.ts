import { ipNetwork } from "../../lib/ip-addresses.ts";
import { cleanName } from "../../lib/text-rules.ts";

/** Limits of signing in (docs/contract/sign-in.md#lifetimes). Windows are in seconds, lifetimes in ms. */
const WINDOW_SECONDS = 900;

export const magicLinkPolicies = {
  address: { name: "sign-in-links-per-address", limit: 5, windowSeconds: WINDOW_SECONDS },
  ip: { name: "sign-in-links-per-ip", limit: 20, windowSeconds: WINDOW_SECONDS },
} as const;

/** Failures of one target from one network, and from all networks: no one can lock another user out from elsewhere. */
export const failurePolicies = {
  network: { name: "failed-sign-ins-per-network", limit: 10, windowSeconds: WINDOW_SECONDS },
  target: { name: "failed-sign-ins", limit: 100, windowSeconds: WINDOW_SECONDS },
} as const;

/** Purpose under which tokens of invitations are hashed (lib/secret-box). */
export const INVITATION_PURPOSE = "invitation";

export const MAGIC_LINK_TTL_MS = 15 * 60_000;
/** How long a sign-in waits for its second factor. */
export const SECOND_FACTOR_TTL_MS = 10 * 60_000;

/** Longest name of an account, in characters, as of a workspace: a new account gives its name to its first one. */
const MAX_NAME_CHARACTERS = 100;

/** Returns the name of an account at an identity provider as it is stored, or null when nothing of it is printable. */
export const accountName = (name: string | null): string | null =>
  Array.from(cleanName(name ?? ""))
    .slice(0, MAX_NAME_CHARACTERS)
    .join("")
    .trim() || null;

/** Returns the limits of failures of one target, for example `totp <user id>`, from an ip. */
export const failureLimits = (target: string, ip: string | null) =>
  ({
    network: [failurePolicies.network, `${target} ${ipNetwork(ip ?? "unknown")}`],
    target: [failurePolicies.target, target],
  }) as const;

/** Returns the path that a sign-in leads to: a path of this service that the visitor came from, otherwise the dashboard. */
export function returnPath(path: string | undefined): string {
  // A browser takes `//host` and `/\host` for another host, and drops tabs and line breaks before it looks.
  return path !== undefined && /^\/(?![/\\])[!-~]{0,1000}$/.test(path) ? path : "/app";
}
