/** The records of the deployment's own zones: the port to the DNS API. Values are as in `DnsResult`: a TXT value is one string. */

export type ZoneRecordType = "TXT" | "MX" | "CNAME" | "A" | "AAAA";

/** A record that a zone has, or is to have. */
export interface ZoneRecord {
  type: ZoneRecordType;
  /** Full name in lower case, without a final dot. */
  name: string;
  value: string;
  /** Of MX only. */
  priority: number | null;
  /** Seconds for which resolvers may cache it. */
  ttl: number;
  /** True when Cloudflare answers HTTP requests for the name itself (A, AAAA, CNAME). */
  isProxied?: boolean;
}

export interface StoredZoneRecord extends ZoneRecord {
  id: string;
}

/** The calls of a DNS API on one zone. Each may throw ZoneError; after `unknown` a change may have been made or not. */
export interface ZonePort {
  /** Lists the records of one name and type: at most 100. */
  list(name: string, type: ZoneRecordType): Promise<StoredZoneRecord[]>;
  create(record: ZoneRecord): Promise<void>;
  update(id: string, record: ZoneRecord): Promise<void>;
  /** Deletes a record. One that does not exist is no error. */
  delete(id: string): Promise<void>;
}

/**
 * Why a call failed. `exists`: an identical record, or a CNAME at the name. `full`: the zone has as many records as its plan
 * permits. `refused`: the token is wrong, or has no right to the zone. `rate`: too many calls. `invalid`: the record itself.
 * `unknown`: no usable response.
 */
export type ZoneErrorKind = "exists" | "full" | "refused" | "rate" | "invalid" | "unknown";

export class ZoneError extends Error {
  override name = "ZoneError";
  readonly kind: ZoneErrorKind;
  /** Milliseconds until the next call has a chance; null: the API gave none. */
  readonly retryAfterMs: number | null;

  constructor(kind: ZoneErrorKind, message: string, retryAfterMs: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
