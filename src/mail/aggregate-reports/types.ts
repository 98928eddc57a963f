/** A report that receivers send to the owner of a domain each day, of one of both kinds. */
export type AggregateReport = DmarcReport | TlsReport;

interface ReportHead {
  /** Records or policies that cannot be true, or are not complete. Nothing of them counts. */
  skipped: number;
  /** The reporting organisation, and its id of the report. */
  organization: string;
  reportId: string;
  /** Start and end of the time that it covers, in ms since 1970. */
  from: number;
  to: number;
}

/** An aggregate report (RFC 9990; RFC 7489, appendix C). */
export interface DmarcReport extends ReportHead {
  kind: "dmarc";
  /** The domain whose policy was applied, in lower case. */
  domain: string;
  records: readonly DmarcRecord[];
}

/** Messages of one source that were treated alike. */
export interface DmarcRecord {
  /** Address of the server that sent them. */
  source: string;
  messages: number;
  /** Domain of their From, in lower case. */
  headerFrom: string;
  /** The mechanisms that passed for a domain aligned with From. */
  dkim: boolean;
  spf: boolean;
  disposition: "none" | "quarantine" | "reject";
}

/** A report about connections to the receiving servers of a domain (RFC 8460). */
export interface TlsReport extends ReportHead {
  kind: "tls";
  policies: readonly TlsPolicyResult[];
}

interface TlsPolicyResult {
  /** The receiving domain, in lower case; empty when the report does not say, as some do where no policy was found. */
  domain: string;
  /** Policy of the connections: `sts`, `tlsa` or `no-policy-found`. */
  type: string;
  sessions: number;
  failures: readonly { type: string; server: string; sessions: number }[];
}

/** Signals a report that cannot be read. Nothing of it counts. */
export class ReportError extends Error {
  override name = "ReportError";
}
