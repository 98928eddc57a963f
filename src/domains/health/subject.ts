import type { Settings } from "../../platform/settings/settings.ts";
import { type DomainWithKeys, dkimState, expectedRecords } from "../domains/index.ts";
import { mtaStsPolicy, policyOf } from "../hosts/index.ts";
import type { DelegatedTargets, DkimEvidence } from "./evidence.ts";

/** A policy of the service. `record`: null when the service publishes it behind a CNAME. */
interface HostedPolicy {
  text: string;
  record: string | null;
}

/** A domain as its health is examined. */
export interface HealthDomain {
  id: string;
  name: string;
  ownership: { name: string; expected: string };
  returnPath: { name: string; expected: string };
  /** True when the service publishes its records behind CNAMEs. */
  isDelegated: boolean;
  /** The MTA-STS policy that the service serves at the host of the domain, and the TXT record for it; null: it serves none. */
  policy: HostedPolicy | null;
  keys: Omit<DkimEvidence, "response" | "doubled">[];
  /** The CNAMEs that it publishes in place of values; null: it is not delegated. */
  targets: DelegatedTargets | null;
}

/** Returns the parts of a domain that the checks compare with DNS. Retired keys sign nothing. Pure. */
export function toHealthDomain(settings: Settings, { domain, keys, hosts }: DomainWithKeys): HealthDomain {
  const records = expectedRecords(settings, domain, keys, hosts);
  const recordOf = (key: string) => {
    const record = records.find((one) => one.key === key);
    return { name: record?.name ?? "", expected: record?.value ?? "" };
  };
  return {
    id: domain.id,
    name: domain.name,
    ownership: recordOf("ownership"),
    returnPath: recordOf("return_path"),
    isDelegated: domain.setup === "delegated",
    targets: domain.setup === "delegated" ? targetsOf(records) : null,
    policy: hostedPolicy(settings, hosts, records),
    keys: keys.flatMap((key) => {
      const state = dkimState(key);
      const { selector, createdAt, activatedAt } = key;
      const record = records.find((one) => one.key === `dkim:${selector}`);
      if (state === "retired" || !record) return [];
      const { name, type, value, leadsTo } = record;
      const alias = type === "CNAME" ? value : null;
      return [{ selector, state, name, createdAt, activatedAt, expected: leadsTo ?? value, alias }];
    }),
  };
}

function targetsOf(records: ReturnType<typeof expectedRecords>): DelegatedTargets {
  const targetOf = (key: string) => records.find((one) => one.key === key && one.type === "CNAME")?.value ?? null;
  return {
    dmarc: targetOf("dmarc"),
    mtaSts: targetOf("mta_sts"),
    mtaStsId: targetOf("mta_sts_id"),
    tlsReports: targetOf("tls_reports"),
  };
}

function hostedPolicy(
  settings: Settings,
  hosts: DomainWithKeys["hosts"],
  records: ReturnType<typeof expectedRecords>,
): HostedPolicy | null {
  const found = policyOf(hosts);
  if (found?.host.status !== "active") return null;
  const record = records.find(({ key, type }) => key === "mta_sts_id" && type === "TXT");
  return { text: mtaStsPolicy(settings, found.state.mode), record: record?.value ?? null };
}
