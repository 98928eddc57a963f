/** The host to which the CNAME records of customers point: that of delegated domains in the first zone of dev/dns-api/local.ts. */
export const HOSTNAME_TARGET = "links.zone.test";
