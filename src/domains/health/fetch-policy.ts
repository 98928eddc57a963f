import type { DnsResult } from "../../platform/dns/resolve.ts";
import { isPublicAddress } from "../../platform/public-urls/addresses.ts";
import { readBody } from "../../platform/public-urls/post.ts";
import type { PolicyResponse } from "./evidence.ts";

/** Time for the response, in ms, and bytes of a policy that are read (RFC 8461 3.3 suggests 64 KB). */
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;

/** Fetches the MTA-STS policy of a host (RFC 8461 3.3), without redirects. Null: no response, which proves nothing. Never throws. */
export async function fetchPolicy(host: string): Promise<PolicyResponse> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(`https://${host}/.well-known/mta-sts.txt`, { redirect: "manual", signal });
    const { body, isComplete } = await readBody(response.body, MAX_BYTES, signal);
    return isComplete ? { status: response.status, text: body } : null;
  } catch {
    return null;
  }
}

/**
 * Returns whether all addresses of a host, by its A and AAAA records, are known and public: the owner of a domain chooses those of its
 * hosts, and a request must not lead into another network. Pure.
 */
export function isPublicHost(responses: readonly DnsResult[]): boolean {
  const addresses = responses.flatMap((response) => (response.status === "ok" ? response.values : []));
  const isKnown = responses.every(({ status }) => status === "ok");
  return isKnown && addresses.length > 0 && addresses.every(isPublicAddress);
}
