import { z } from "zod";

/** Settings of a deployment, read from the Worker's variables and secrets. */
const Variables = z.object({
  /** Where mail goes out: smtps://user:password@host, smtp://… (STARTTLS), ?tls=off for plain. Secret. Empty: no egress. */
  EGRESS_URL: z.string().default(""),
  /** Mail to this domain runs through everything and never leaves (decisions 4). */
  SIMULATOR_DOMAIN: z.string().default("simulator.test"),
  /** DNS over HTTPS (RFC 8484): where domains are looked up. */
  DNS_RESOLVER_URL: z.url({ protocol: /^https?$/ }).default("https://cloudflare-dns.com/dns-query"),
  /** Host that takes mail for hosted domains: what their MX records name. */
  MX_HOST: z.string().default("mx.mail.test"),
  /** Domain of the SPF record that lists the egress: what customers include in theirs. */
  SPF_DOMAIN: z.string().default("spf.mail.test"),
  /** Domain of the return path: where bounces come to. */
  BOUNCE_DOMAIN: z.string().default("bounces.mail.test"),
  /** Where the world reaches this service, without a final slash: tracking and unsubscribe links begin so. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).default("http://127.0.0.1:8787"),
  /** Days that emails are kept after they were accepted. */
  RETENTION_DAYS: z.coerce.number().int().min(1).default(365),
  /** `1:<base64 of 32 octets>`, several joined by commas; the last one encrypts and hashes anew. Secret. */
  MASTER_KEYS: z
    .string()
    .regex(/^\d+:[A-Za-z0-9+/]{43}=(,\d+:[A-Za-z0-9+/]{43}=)*$/, "MASTER_KEYS must be <version>:<base64 of 32 octets>"),
});

export interface Settings {
  egressUrl: string;
  simulatorDomain: string;
  dnsResolverUrl: string;
  mxHost: string;
  spfDomain: string;
  bounceDomain: string;
  publicUrl: string;
  retentionDays: number;
  masterKeys: { version: number; key: string }[];
}

const parsed = new WeakMap<object, Settings>();

/**
 * Reads the settings, once an isolate for each environment object. Throws with the name of the variable
 * that is missing or malformed, never with its value.
 */
export function readSettings(env: object): Settings {
  const known = parsed.get(env);
  if (known) return known;
  const result = Variables.safeParse(env);
  if (!result.success) {
    const names = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`The Worker is not configured: ${names.join("; ")}`);
  }
  const settings = {
    egressUrl: result.data.EGRESS_URL,
    simulatorDomain: result.data.SIMULATOR_DOMAIN.toLowerCase(),
    dnsResolverUrl: result.data.DNS_RESOLVER_URL,
    mxHost: result.data.MX_HOST.toLowerCase(),
    spfDomain: result.data.SPF_DOMAIN.toLowerCase(),
    bounceDomain: result.data.BOUNCE_DOMAIN.toLowerCase(),
    publicUrl: result.data.PUBLIC_URL.replace(/\/+$/, ""),
    retentionDays: result.data.RETENTION_DAYS,
    masterKeys: result.data.MASTER_KEYS.split(",").map((entry) => {
      const colon = entry.indexOf(":");
      return { version: Number(entry.slice(0, colon)), key: entry.slice(colon + 1) };
    }),
  };
  parsed.set(env, settings);
  return settings;
}
