import type { Settings } from "../../platform/settings/settings.ts";
import type { DomainWithKeys } from "../domains/index.ts";
import { dkimState, expectedRecords } from "../domains/index.ts";
import type { DkimEvidence } from "./evidence.ts";

/** A domain as its health is examined. */
export interface HealthDomain {
  id: string;
  name: string;
  ownership: { name: string; expected: string };
  returnPath: { name: string; expected: string };
  /** True when the service publishes its records behind CNAMEs. */
  isDelegated: boolean;
  keys: Omit<DkimEvidence, "response" | "doubled">[];
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
    keys: keys.flatMap((key) => {
      const state = dkimState(key);
      const { selector, createdAt, activatedAt } = key;
      const record = records.find((one) => one.key === `dkim:${selector}`);
      if (state === "retired" || !record) return [];
      const isAlias = record.type === "CNAME";
      return [
        {
          ...{ selector, state, name: record.name, createdAt, activatedAt },
          ...{ expected: record.leadsTo ?? record.value, alias: isAlias ? record.value : null },
        },
      ];
    }),
  };
}
