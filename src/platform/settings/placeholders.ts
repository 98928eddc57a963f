/** Host names that exist on no network (RFC 2606, RFC 6761), those of examples, and loopback addresses. */
const PLACEHOLDER_HOST =
  /(^|\.)(test|example|invalid|localhost)$|(^|\.)example\.(com|net|org)$|^127\.|^0\.0\.0\.0$|^\[::1?\]$/;

const HOSTS = ["MX_HOST", "SMTP_HOST", "SPF_DOMAIN", "BOUNCE_DOMAIN"] as const;

/** The variables that a deployment must set to values of its own. */
export interface HostVariables extends Record<(typeof HOSTS)[number], string> {
  PUBLIC_URL: string;
  /** Empty: IMAP is not offered. */
  IMAP_HOST: string;
  DNS_RESOLVER_URL: string;
  MASTER_KEYS: string;
}

/**
 * Returns the names of variables whose value is one of local work: hosts and URLs that customers could not reach, a PUBLIC_URL
 * that is not https, and a master key of equal bytes. Pure.
 */
export function findPlaceholders(variables: HostVariables): string[] {
  const hosts = HOSTS.filter((name) => isPlaceholder(variables[name]));
  const publicUrl = new URL(variables.PUBLIC_URL);
  const isLocal = publicUrl.protocol !== "https:" || isPlaceholder(publicUrl.hostname);
  return [
    ...(isLocal ? ["PUBLIC_URL"] : []),
    ...hosts,
    ...(variables.IMAP_HOST !== "" && isPlaceholder(variables.IMAP_HOST) ? ["IMAP_HOST"] : []),
    ...(isPlaceholder(new URL(variables.DNS_RESOLVER_URL).hostname) ? ["DNS_RESOLVER_URL"] : []),
    ...(variables.MASTER_KEYS.split(",").some(isWeakKey) ? ["MASTER_KEYS"] : []),
  ];
}

const isPlaceholder = (host: string) => host === "" || PLACEHOLDER_HOST.test(host.toLowerCase().replace(/\.$/, ""));

const isWeakKey = (entry: string) => new Set(atob(entry.slice(entry.indexOf(":") + 1))).size < 8;
