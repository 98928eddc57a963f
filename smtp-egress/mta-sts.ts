import https from "node:https";
import type { Clock } from "../mail-gateway/clock.ts";
import { withTimeout } from "../src/lib/deadline.ts";
import type { AddressIssue } from "./allowed-addresses.ts";
import type { Dns } from "./dns.ts";
import { ExpiringCache } from "./expiring-cache.ts";
import { type Policy, parsePolicy, policyId } from "./mta-sts-policy.ts";

export interface PoliciesOptions {
  dns: Dns;
  issueOf(address: string): AddressIssue;
  /** Certificate authorities; null: those of the system. */
  ca: Buffer | null;
  /** Port of the servers of policies. */
  port: number;
  clock: Clock;
}

/** A policy that was fetched. */
interface Known {
  id: string;
  policy: Policy;
  /** In ms since 1970. */
  expiresAt: number;
}

/** The whole fetch, in ms, and bytes of a policy (RFC 8461 3.3). */
const FETCH_MS = 10_000;
const MAX_BYTES = 64 * 1024;
/** Domains whose policy, or whose lack of one, is remembered. */
const MAX_DOMAINS = 20_000;
/** After this time DNS is asked anew whether the policy of a domain has changed, in ms. */
const CHECK_MS = 300_000;

/** Finds the MTA-STS policies of domains (RFC 8461). A policy holds for its max_age, also while DNS or its server fails. */
export class Policies {
  readonly #options: PoliciesOptions;
  readonly #checked: ExpiringCache<Policy | null>;
  readonly #known = new Map<string, Known>();

  constructor(options: PoliciesOptions) {
    this.#options = options;
    this.#checked = new ExpiringCache(MAX_DOMAINS, options.clock);
  }

  /** Returns the policy of a domain, or null. Never throws. */
  policyOf(domain: string): Promise<Policy | null> {
    return this.#checked.get(domain, async () => ({ value: await this.#check(domain), ms: CHECK_MS }));
  }

  async #check(domain: string): Promise<Policy | null> {
    const known = this.#known.get(domain);
    const valid = known && known.expiresAt > this.#options.clock.now() ? known : null;
    const texts = await this.#options.dns.texts(`_mta-sts.${domain}`);
    const id = policyId(texts ?? []);
    if (id === null || id === valid?.id) return valid?.policy ?? null;
    const fetched = await this.#fetch(`mta-sts.${domain}`).catch(() => null);
    const policy = fetched === null ? null : parsePolicy(fetched);
    if (policy === null) return valid?.policy ?? null;
    this.#remember(domain, { id, policy, expiresAt: this.#options.clock.now() + policy.maxAgeMs });
    return policy;
  }

  #remember(domain: string, known: Known): void {
    this.#known.delete(domain);
    this.#known.set(domain, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_DOMAINS && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Fetches a policy from a host with a valid certificate. Follows no redirects (RFC 8461 3.3). */
  async #fetch(host: string): Promise<string> {
    const { dns, issueOf, ca, port } = this.#options;
    const { addresses } = await dns.addresses(host);
    const address = addresses.find((candidate) => issueOf(candidate) !== "private");
    if (address === undefined) throw new Error(`${host} has no address`);
    const abort = new AbortController();
    const text = new Promise<string>((resolve, reject) => {
      const request = https.get({
        host: address,
        port,
        path: "/.well-known/mta-sts.txt",
        headers: { Host: host },
        servername: host,
        ...(ca ? { ca } : {}),
        agent: false,
        signal: abort.signal,
      });
      request.on("error", reject);
      request.on("response", (response) => {
        const isText = /^text\/plain\b/i.test(response.headers["content-type"] ?? "");
        if (response.statusCode !== 200 || !isText) return void request.destroy(new Error("it has no policy"));
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          body += chunk;
          if (body.length > MAX_BYTES) request.destroy(new Error("its policy is too large"));
        });
        response.on("end", () => resolve(body));
        response.on("error", reject);
      });
    });
    return withTimeout(FETCH_MS, text).finally(() => abort.abort());
  }
}
