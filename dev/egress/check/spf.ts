import type { Resolver } from "node:dns/promises";
import { spf } from "mailauth/lib/spf/index.js";
import { type Finding, ok, unchecked, wrong } from "./finding.ts";

/** Checks that the SPF record of a sending domain (RFC 7208) has an address of the egress. */
export async function checkSpf(
  resolver: Resolver,
  domain: string | null,
  { name, address }: { name: string; address: string },
): Promise<Finding> {
  if (domain === null)
    return unchecked(
      "SPF",
      "no sending domain was named.",
      "name one, such as BOUNCE_DOMAIN: --domain bounces.example.com.",
    );
  const { status } = await spf({
    sender: `postmaster@${domain}`,
    ip: address,
    helo: name,
    mta: name,
    resolver: (host, type) => resolver.resolve(host, type as "TXT") as unknown as Promise<string[]>,
  });
  const subject = `SPF of ${domain}`;
  if (status.result === "pass") return ok(subject, `it allows ${address}.`);
  if (status.result === "temperror") throw new Error("the resolver has no answer");
  const mechanism = `${address.includes(":") ? "ip6" : "ip4"}:${address}`;
  return wrong(
    subject,
    `its result for ${address} is "${status.result}" and not "pass".`,
    `add ${mechanism} to the record of SPF_DOMAIN, and let the record of ${domain} have include:<SPF_DOMAIN>.`,
  );
}
