import type { TlsaRecord } from "./dane/tlsa.ts";
import type { TlsaFound } from "./dane/tlsa-lookups.ts";
import { namesHost, type Policy } from "./mta-sts-policy.ts";

/** The TLS that a connection to a host needs. */
export type TlsRule =
  /** TLS if it works, with any certificate (RFC 7435). */
  | { kind: "opportunistic" }
  /** A certificate of the host by an authority: its MTA-STS policy (RFC 8461). */
  | { kind: "certificate" }
  /** TLS with any certificate: the host has TLSA records, of which none is usable (RFC 7672 2.2). */
  | { kind: "encrypted"; serverName: string }
  /** A certificate that the TLSA records name. `names`: those that it may have with usage DANE-TA. */
  | { kind: "dane"; serverName: string; records: readonly TlsaRecord[]; names: readonly string[]; key: string };

/** The rule of a host, or why mail must not go there. */
export type HostRule = TlsRule | { kind: "forbidden"; reason: string };

/**
 * Returns the rule of a host of a domain. Usable TLSA records come before an MTA-STS policy, which must never make up for DANE that
 * fails (RFC 8461 2). Pure.
 */
export function ruleOf(domain: string, host: string, policy: Policy | null, tlsa: TlsaFound): HostRule {
  if (tlsa.kind === "failed") return { kind: "forbidden", reason: tlsa.reason };
  if (tlsa.kind === "usable") {
    const { base, records, key } = tlsa;
    return { kind: "dane", serverName: base, records, names: [...new Set([base, domain])], key };
  }
  if (policy?.mode === "enforce") {
    if (namesHost(policy, host)) return { kind: "certificate" };
    return { kind: "forbidden", reason: `the MTA-STS policy of ${domain} does not name ${host}` };
  }
  return tlsa.kind === "unusable" ? { kind: "encrypted", serverName: tlsa.base } : { kind: "opportunistic" };
}

/** Returns a text that is the same when a connection that obeys one rule obeys the other. Pure. */
export function keyOfRule(rule: HostRule): string {
  return rule.kind === "dane" ? `dane ${rule.names.join(" ")} ${rule.key}` : rule.kind;
}

/** Returns the reason for which TLS is needed. Pure. */
export function reasonOfRule(rule: TlsRule): string {
  if (rule.kind === "certificate") return "the MTA-STS policy of the domain requires a valid certificate";
  return rule.kind === "opportunistic" ? "" : `the TLSA records of ${rule.serverName} (DANE) require TLS`;
}
