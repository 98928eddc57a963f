import ipaddr from "ipaddr.js";
import { parseIp } from "../../lib/ip-addresses.ts";
import { words } from "../../lib/words.ts";

/**
 * Networks of services that send mail for many domains, as their SPF records list them: for servers without a name that leads
 * back to them. Networks that a service rents out to others for anything but its own mail are left out.
 */
const NETWORKS: Readonly<Record<string, string>> = {
  "Amazon SES": "199.255.192.0/22 199.127.232.0/22 54.240.0.0/18 69.169.224.0/20 23.249.208.0/20 23.251.224.0/19",
  Apple: "17.0.0.0/8",
  Google: `
    64.233.160.0/19 66.102.0.0/20 66.249.80.0/20 72.14.192.0/18 74.125.0.0/16 108.177.8.0/21 173.194.0.0/16
    209.85.128.0/17 216.58.192.0/19 216.239.32.0/19
    2001:4860:4000::/36 2404:6800:4000::/36 2607:f8b0:4000::/36 2800:3f0:4000::/36 2a00:1450:4000::/36`,
  Mailchimp: "148.105.0.0/16 198.2.128.0/18 205.201.128.0/20",
  Mailgun: "69.72.32.0/20 143.55.224.0/20 159.135.224.0/20 161.38.192.0/20 166.78.68.0/22 209.61.151.0/24",
  Mailjet: "87.253.232.0/21 185.189.236.0/22 185.211.120.0/22 185.250.236.0/22",
  "Microsoft 365": `
    40.92.0.0/15 40.107.0.0/16 52.100.0.0/15 52.102.0.0/16 52.103.0.0/17 104.47.0.0/17
    2a01:111:f400::/48 2a01:111:f403::/49 2a01:111:f403:8000::/51 2a01:111:f403:c000::/51 2a01:111:f403:f000::/52`,
  SendGrid: `
    50.31.32.0/19 149.72.0.0/16 159.183.0.0/16 167.89.0.0/17 168.245.0.0/17 192.254.112.0/20 198.21.0.0/21
    198.37.144.0/20 208.117.48.0/20`,
  Zendesk: "185.12.80.0/22 188.172.128.0/20 192.161.144.0/20",
};

const networks = Object.entries(NETWORKS).flatMap(([service, ranges]) =>
  words(ranges).map((range) => ({ service, network: ipaddr.parseCIDR(range) })),
);

/** Returns the service whose network has this IP address, or null when the table has none. Pure. */
export function knownNetwork(address: string): string | null {
  const ip = parseIp(address);
  if (ip === null) return null;
  const found = networks.find(({ network: [first, bits] }) => first.kind() === ip.kind() && ip.match(first, bits));
  return found?.service ?? null;
}
