/** Returns the DNS records to publish for a deployment, one a line. Those of customers' domains are in the API. Pure. */
export function dnsRecords(vars: Readonly<Record<string, string>>): string[] {
  return [
    `${vars.BOUNCE_DOMAIN}  MX   10 ${vars.MX_HOST}.        bounces; or route the domain to the Worker with Email Routing`,
    `${vars.BOUNCE_DOMAIN}  TXT  "v=spf1 include:${vars.SPF_DOMAIN} -all"`,
    `${vars.SPF_DOMAIN}  TXT  "v=spf1 ip4:<addresses of your egress> -all"    customers include it`,
    `${vars.MX_HOST}  A, AAAA  <address of the SMTP gateway>`,
    `${vars.SMTP_HOST}  A, AAAA  <address of the SMTP gateway>`,
    `<address of the SMTP gateway>  PTR  ${vars.MX_HOST}.`,
    `_dmarc.${vars.BOUNCE_DOMAIN}  TXT  "v=DMARC1; p=reject"`,
  ];
}
