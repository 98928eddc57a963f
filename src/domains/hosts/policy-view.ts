import { blockerTexts, type PolicyBlocker, type PolicyMode, TEST_MS } from "./policy-rules.ts";
import { type HostRow, policyOf } from "./policy-statements.ts";

/** The MTA-STS policy of a domain, as the API shows it. Times in ms since 1970. */
export interface PolicyView {
  mode: PolicyMode;
  since: number | null;
  /** When the service enforces it by itself at the earliest; null: it does not. */
  enforcesFrom: number | null;
  detail: string;
}

/** Returns the policy of a domain by its hosts; null when it has none. Pure. */
export function toPolicy(hosts: readonly HostRow[]): PolicyView | null {
  const found = policyOf(hosts);
  if (!found) return null;
  const { host, state } = found;
  const isWatched = state.mode === "testing" && !state.isHeld;
  return {
    mode: state.mode,
    since: host.policySince,
    enforcesFrom: isWatched && host.policySince !== null ? host.policySince + TEST_MS : null,
    detail: isWatched ? blockerTexts[(host.policyBlocker as PolicyBlocker | null) ?? "time"] : DETAILS[state.mode],
  };
}

const DETAILS: Readonly<Record<PolicyMode, string>> = {
  testing: "An owner chose testing, so it stays until one enforces it.",
  enforce: "Other mail systems deliver encrypted to a server with a valid certificate, or not at all.",
  none: "Its MX records do not lead here, so other mail systems are told to forget the policy. It is tested anew once they do.",
};
