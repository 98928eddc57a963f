import { cfblRecords } from "./cfbl-key.ts";

/**
 * Returns the DNS records to publish for a deployment, one a line. Those of customers' domains are in the API. With Email Routing,
 * Cloudflare adds the MX records of BOUNCE_DOMAIN itself. `cfblKeys`: CFBL_DKIM_KEY; empty in a dry run, which makes no key. Pure.
 */
export function dnsRecords(
  vars: Readonly<Record<string, string>>,
  hasEmailRouting: boolean,
  cfblKeys: string,
): string[] {
  const spf = hasEmailRouting
    ? `include:_spf.mx.cloudflare.net include:${vars.SPF_DOMAIN}`
    : `include:${vars.SPF_DOMAIN}`;
  return [
    ...(hasEmailRouting
      ? []
      : [`${vars.BOUNCE_DOMAIN}  MX   10 ${vars.MX_HOST}.        reports about failed deliveries`]),
    `${vars.BOUNCE_DOMAIN}  TXT  "v=spf1 ${spf} -all"`,
    `${vars.SPF_DOMAIN}  TXT  "v=spf1 ip4:<addresses of your egress> -all"    customers include it`,
    `${vars.MX_HOST}  A, AAAA  <address of the mail gateway>`,
    `${vars.SMTP_HOST}  A, AAAA  <address of the mail gateway>`,
    ...(vars.IMAP_HOST && ![vars.MX_HOST, vars.SMTP_HOST].includes(vars.IMAP_HOST)
      ? [`${vars.IMAP_HOST}  A, AAAA  <address of the mail gateway>`]
      : []),
    `<address of the mail gateway>  PTR  ${vars.MX_HOST}.`,
    ...cfblRecords(cfblKeys, vars.BOUNCE_DOMAIN ?? "").map(
      ({ name, value }) => `${name}  TXT  "${value}"    signs bulk mail for CFBL-Address`,
    ),
    `_dmarc.${vars.BOUNCE_DOMAIN}  TXT  "v=DMARC1; p=reject"`,
  ];
}
