import type { Clock } from "../../mail-gateway/clock.ts";
import { ExpiringCache } from "../expiring-cache.ts";
import type { SecureDns } from "./secure-dns.ts";
import { type TlsaRecord, textOfRecords, usableRecords } from "./tlsa.ts";

/** The TLSA records of a host. */
export type TlsaFound =
  /** There are none, or they are not secure. */
  | { kind: "none" }
  /** `base`: the name that has them. `key` differs when they do. */
  | { kind: "usable"; base: string; records: readonly TlsaRecord[]; key: string }
  /** Secure ones, all of a kind that SMTP does not use. */
  | { kind: "unusable"; base: string }
  /** DNS did not answer: the host must not be used (RFC 7672 2.2). */
  | { kind: "failed"; reason: string };

/** Names that are remembered; for how long without records or after a failure, and the bounds of a TTL, in ms. */
const MAX_NAMES = 20_000;
const NONE_MS = 60_000;
const FAILURE_MS = 10_000;
const MIN_MS = 1_000;
const MAX_MS = 3_600_000;

const NONE: TlsaFound = { kind: "none" };

/** Finds the TLSA records of mail servers, and remembers them no longer than their TTL: a new key is announced by it. */
export class TlsaLookups {
  /** Look-ups so far, by what was found. */
  readonly counts: Record<TlsaFound["kind"], number> = { none: 0, usable: 0, unusable: 0, failed: 0 };
  readonly #dns: Pick<SecureDns, "tlsa">;
  readonly #found: ExpiringCache<TlsaFound>;

  constructor(dns: Pick<SecureDns, "tlsa">, clock: Clock) {
    this.#dns = dns;
    this.#found = new ExpiringCache(MAX_NAMES, clock);
  }

  /** Returns the records of a host by the names that may have them, the first with records first. Never throws. */
  async find(bases: readonly string[]): Promise<TlsaFound> {
    for (const base of bases) {
      const found = await this.#found.get(base, () => this.#lookUp(base));
      if (found.kind !== "none") return found;
    }
    return NONE;
  }

  async #lookUp(base: string): Promise<{ value: TlsaFound; ms: number }> {
    const looked = await this.#ask(base);
    this.counts[looked.value.kind] += 1;
    return looked;
  }

  async #ask(base: string): Promise<{ value: TlsaFound; ms: number }> {
    try {
      const { records, isSecure, ms } = await this.#dns.tlsa(`_25._tcp.${base}`);
      if (!isSecure || records.length === 0) return { value: NONE, ms: NONE_MS };
      const usable = usableRecords(records);
      const value: TlsaFound =
        usable.length > 0
          ? { kind: "usable", base, records: usable, key: textOfRecords(usable) }
          : { kind: "unusable", base };
      return { value, ms: Math.min(Math.max(ms ?? 0, MIN_MS), MAX_MS) };
    } catch (error) {
      const why = error instanceof Error ? error.message : "unknown";
      const reason = `the TLSA records of ${base} (DANE) could not be looked up: ${why}`;
      return { value: { kind: "failed", reason }, ms: FAILURE_MS };
    }
  }
}
