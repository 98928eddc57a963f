import { isoOrNull } from "../../lib/time.ts";
import { blockerTexts, type PolicyBlocker, type PolicyMode, TEST_MS } from "./policy-rules.ts";
import { type HostRow, policyOf } from "./policy-statements.ts";

/** Returns the MTA-STS policy of a domain as the API shows it, by its hosts; null when it has none. Pure. */
export function toPolicy(hosts: readonly HostRow[]) {
  const found = policyOf(hosts);
  if (!found) return null;
  const { host, state } = found;
  const isWatched = state.mode === "testing" && !state.isHeld;
  return {
    mode: state.mode,
    since: isoOrNull(host.policySince),
    // When the service enforces it by itself at the earliest.
    enforces_from: isoOrNull(isWatched && host.policySince !== null ? host.policySince + TEST_MS : null),
    detail: isWatched ? blockerTexts[(host.policyBlocker as PolicyBlocker | null) ?? "time"] : DETAILS[state.mode],
  };
}

const DETAILS: Readonly<Record<PolicyMode, string>> = {
  testing: "An owner chose testing, so it stays until one enforces it.",
  enforce: "Other mail systems deliver encrypted to a server with a valid certificate, or not at all.",
  none: "Its MX records do not lead here, so other mail systems are told to forget the policy. It is tested anew once they do.",
};
