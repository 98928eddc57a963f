import { receivers } from "./table.ts";
import type { Receiver } from "./types.ts";

/** Two labels that are a public suffix in most countries that have such names: `co.uk`, `com.br`. */
const COUNTRY_SUFFIX = /^(ac|co|com|edu|go|gob|gov|gouv|ltd|me|mil|ne|net|nom|or|org|plc)\.[a-z]{2}$/;
/** The hand-over names a receiver by at most so many characters. */
const MAX_NAME = 100;

/**
 * Returns the receiver of a domain by its MX hosts, best preference first. A mail system without an entry is a receiver of its own,
 * named by the parent of its best host: `mx1.example.net` and `mx2.example.net` are one. `extra` comes before the table.
 */
export function receiverOf(mxHosts: readonly string[], extra: readonly Receiver[] = []): Receiver {
  const [best = ""] = mxHosts.map((host) => host.toLowerCase().replace(/\.$/, ""));
  const known = [...extra, ...receivers].find(({ mxSuffixes }) =>
    mxSuffixes.some((suffix) => `.${best}`.endsWith(suffix)),
  );
  if (known) return known;
  const name = nameOf(best);
  return { name, label: name, mxSuffixes: [], limits: {}, rules: [] };
}

/** Returns the name of a mail system: never that of an entry, which has no dot. */
function nameOf(host: string): string {
  const name = parentOf(host)
    .replace(/[^a-z0-9.-]/g, "-")
    .slice(-MAX_NAME);
  return name.includes(".") ? name : `${name}.local`;
}

/** Returns a host name without its first label, unless that would leave a public suffix or an IPv4 address without its beginning. */
function parentOf(host: string): string {
  const labels = host.split(".");
  const parent = labels.slice(1).join(".");
  return labels.length > 2 && !COUNTRY_SUFFIX.test(parent) && !/^[\d.]+$/.test(host) ? parent : host;
}
