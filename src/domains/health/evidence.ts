import type { FoundPolicy } from "../../mail/dmarc/tree-walk.ts";
import type { Network } from "../../mail/spf/parse.ts";
import type { SpfEvaluation } from "../../mail/spf/walk.ts";
import type { DnsResult } from "../../platform/dns/resolve.ts";

/** A record of the domain and the values of DNS at its name. */
interface RecordEvidence {
  name: string;
  /** The value that receivers are to find. */
  expected: string;
  response: DnsResult;
  /** Values at the name with the domain after it again, which many DNS providers add; null: not asked. */
  doubled: DnsResult | null;
}

/** A DKIM key and the values of DNS at its selector. */
export interface DkimEvidence extends RecordEvidence {
  selector: string;
  state: "pending" | "active";
  /** The CNAME to publish, of a delegated domain. */
  alias?: string | null;
  createdAt: number;
  /** Since when it signs, in ms since 1970. */
  activatedAt: number | null;
}

/** The answer of a host to the request of an MTA-STS policy; null: there was none. */
export type PolicyResponse = { status: number; text: string } | null;

/** Targets of the CNAMEs that a delegated domain publishes in place of values; null: its record list has none. */
export interface DelegatedTargets {
  dmarc: string | null;
  mtaSts: string | null;
  mtaStsId: string | null;
  tlsReports: string | null;
}

/** All DNS data of one evaluation. */
export interface DnsEvidence {
  /** True: the CNAMEs of its keys prove the ownership, and its return path has an SPF record. */
  isDelegated?: boolean;
  /** True: DNS responded to no query for a required record, and did to one for the service. */
  isSilent?: boolean;
  ownership: RecordEvidence;
  dkim: DkimEvidence[];
  spf: {
    evaluation: SpfEvaluation;
    txt: DnsResult;
    alias: DnsResult;
    /** TXT values at the name of the domain with itself after it; null: not asked. */
    doubled: DnsResult | null;
    /** Null: DNS did not respond. */
    serviceNetworks: readonly Network[] | null;
  };
  returnPath: RecordEvidence & {
    /** Other records at its name; null: not asked. */
    others: DnsResult | null;
  };
  dmarc: {
    /** TXT values at `_dmarc` of the domain itself. */
    own: DnsResult;
    doubled: DnsResult | null;
    /** Domains of `rua` outside of the organizational domain, with the response to the name that authorises them. */
    authorizations: { domain: string; name: string; response: DnsResult }[];
  };
  /** `missing`: the hosts that are no alias and have no address; null: DNS did not tell. */
  mx: { response: DnsResult; aliases: { host: string; response: DnsResult }[]; missing: string[] | null };
  mtaSts: {
    record: DnsResult;
    /** Addresses of the host of the policy, and the policy; null: not asked. */
    host: DnsResult;
    policy: PolicyResponse;
    /** The TXT record of a policy that the service serves itself; null or absent: it does not, or publishes the record too. */
    hosted?: { record: string | null } | null;
  };
  tlsReports: DnsResult;
  blocklists: { zone: string; response: DnsResult }[];
}

/** Sums of the reports of the last days. */
export interface ReportEvidence {
  days: number;
  messages: number;
  aligned: number;
  /** Senders with mail that is not aligned, most first; `name`: service or host as far as it is known. */
  unaligned: { source: string; name: string | null; messages: number; unaligned: number }[];
  tls: { sessions: number; failed: number; failures: { failure: string; server: string; sessions: number }[] };
}

/** How receivers treated with mail of the last seven days. */
export interface DeliveryEvidence {
  /** Replies that refused mail of the domain, newest first, with the domain of the recipient. */
  replies: { receiver: string; response: string }[];
  /** Recipients of the workspace: sent, hard bounces, complaints. */
  sent: number;
  bounced: number;
  complained: number;
}

/** Evidence about a domain. A part that is null was not gathered or could not be: its earlier findings stay. */
export interface Evidence {
  now: number;
  name: string;
  status: "pending" | "verified" | "failed";
  /** When DNS last answered all queries of a check, in ms since 1970. */
  lastCheckedAt: number | null;
  settings: { spfDomain: string; bounceDomain: string; mxHost: string };
  /** The address for reports on the domain. */
  reportAddress: string;
  /** True when mail is received in mailboxes of the domain here. */
  receivesHere: boolean;
  /** Of a delegated domain. */
  targets?: DelegatedTargets | null;
  dns: DnsEvidence | null;
  /** The DMARC policy that applies; null: DNS did not respond. */
  policy: FoundPolicy | "none" | null;
  /** Hosts of the domain that the service serves (src/domains/hosts/). */
  hosts: { name: string; purpose: "link" | "mta_sts"; status: string; problem: string | null }[];
  reports: ReportEvidence | null;
  delivery: DeliveryEvidence | null;
}
