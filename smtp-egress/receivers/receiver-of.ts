import { receivers } from "./table.ts";
import type { Receiver } from "./types.ts";

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
  const name = parentOf(best);
  return { name, label: name, mxSuffixes: [], limits: {}, rules: [] };
}

/** Returns a host name without its first label, while two labels are left. */
function parentOf(host: string): string {
  const labels = host.split(".");
  return labels.length > 2 ? labels.slice(1).join(".") : host;
}
