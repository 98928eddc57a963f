import { canonicalDomain } from "../../lib/address-domain.ts";
import { unprocessable } from "../../lib/errors.ts";

/** Returns a host name of the path parameter `name` in A-labels and lower case. Throws 422. */
export function readHost(text: string, name: string): string {
  const host = canonicalDomain(text);
  if (host !== null) return host;
  throw unprocessable([{ loc: ["path", name], msg: `${name} must be a domain name`, type: "value_error" }]);
}
