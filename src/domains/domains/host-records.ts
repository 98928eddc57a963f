import type { Settings } from "../../platform/settings/settings.ts";
import { type HostRow, hostLabels, mtaStsId, policyOf } from "../hosts/index.ts";
import { sharedTarget, tlsReportsValue } from "../zones/index.ts";
import { type ExpectedRecord, recordOf } from "./expected-record.ts";
import type { DomainRow } from "./queries.ts";
import { reportAddress } from "./report-address.ts";

type HostSettings = Pick<Settings, "hostnames" | "mxHost" | "bounceDomain" | "delegatedZones">;
type HostDomain = Pick<DomainRow, "id" | "name" | "records" | "setup">;

/** Returns the records of the hosts of a domain, whose keys are their purposes. None when the deployment offers no hosts. Pure. */
export function hostRecords(settings: HostSettings, domain: HostDomain, hosts: readonly HostRow[]): ExpectedRecord[] {
  const { hostnames } = settings;
  if (hostnames === null) return [];
  const { name, records } = domain;
  const alias = { type: "CNAME", value: hostnames.target } as const;
  const link = recordOf({ key: "link", purpose: "link_host", name: `${hostLabels.link}.${name}`, ...alias });
  // A policy names the hosts that receive mail, so it is for domains whose mail comes here. A delegated domain publishes its CNAMEs once,
  // before it is known where its mail goes: nothing is served behind them until its MX records lead here.
  if (records.mx !== "verified" && domain.setup === "manual") return [link];
  const policyHost = recordOf({ purpose: "mta_sts", name: `${hostLabels.mta_sts}.${name}`, ...alias });
  return [link, policyHost, ...policyTexts(settings, domain, hosts)];
}

/** Returns the texts that announce the policy and ask for reports: of a delegated domain CNAMEs to those that all share. */
function policyTexts(settings: HostSettings, { id, name, setup }: HostDomain, hosts: readonly HostRow[]) {
  const zone = setup === "delegated" ? settings.delegatedZones[0]?.name : undefined;
  const mode = policyOf(hosts)?.state.mode ?? "testing";
  const address = reportAddress(id, settings.bounceDomain);
  const record = (purpose: "mta_sts_id" | "tls_reports", label: "_mta-sts" | "_smtp._tls", value: string) => {
    const common = { purpose, name: `${label}.${name}` };
    return zone === undefined
      ? recordOf({ ...common, type: "TXT", value })
      : recordOf({ ...common, type: "CNAME", value: sharedTarget(label, zone), leadsTo: null });
  };
  return [
    record("mta_sts_id", "_mta-sts", `v=STSv1; id=${mtaStsId(settings, mode)}`),
    record("tls_reports", "_smtp._tls", tlsReportsValue(address)),
  ];
}
