type RecordType = "TXT" | "MX" | "CNAME" | "A" | "AAAA" | "NS" | "PTR" | "SRV";

/** A DNS record. A TXT value is one string; an MX value is the host, an SRV value weight, port and host, with the priority in its own field. */
export interface DnsRecord {
  type: RecordType;
  name: string;
  value: string;
  priority?: number;
  /** Seconds; default: 5. */
  ttl?: number;
}

/** The response to a question: records, or a failure to simulate. */
export type Answer =
  | { rcode: "NOERROR" | "NXDOMAIN" | "SERVFAIL" | "REFUSED"; answers: DnsRecord[] }
  | "timeout"
  | "truncated"
  | "garbage"
  | "http-error";
