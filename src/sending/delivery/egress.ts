import {
  EgressUrlError,
  parseEgressUrl,
  type SmtpOptions,
  smtpTransport,
  type Transport,
} from "../../mail/smtp/index.ts";
import type { Settings } from "../../platform/settings/settings.ts";

/** The SMTP server that takes outgoing mail, and how to use it. */
export interface Egress {
  transport: Transport;
  /** Host name, as shown in events. */
  relay: string;
  /** Connections that one run may open at once. */
  connections: number;
  /** True when success notifications (RFC 3461) are requested where the server offers them. */
  dsn: boolean;
  /** Remembers whether the server offers to hold emails under the lease of their row: then the next claim lasts as long. */
  holding?: { isOffered: boolean };
}

/** By egress URL, of which a deployment has one or two. */
const holdings = new Map<string, { isOffered: boolean }>();

/**
 * The state of a deployment whose EGRESS_URL is missing or malformed, or that has placeholders among its settings: email waits
 * (docs/contract/delivery.md#missing-egress).
 */
export interface UnusableEgress {
  issue: "not_configured" | "malformed" | "misconfigured";
  /** Names the invalid part of the setting, never its password. For logs only: tenants see a fixed text. */
  detail: string;
}

/** Returns the egress of the deployment, or why there is none. `options` sets shorter timeouts in tests. */
export function egressOf(
  settings: Pick<Settings, "egressUrl"> & Partial<Pick<Settings, "placeholders">>,
  options: SmtpOptions = {},
): Egress | UnusableEgress {
  const { placeholders = [] } = settings;
  if (placeholders.length > 0) return { issue: "misconfigured", detail: `placeholders in ${placeholders.join(", ")}` };
  if (settings.egressUrl === "") return { issue: "not_configured", detail: "EGRESS_URL is empty" };
  try {
    const parsed = parseEgressUrl(settings.egressUrl);
    return {
      transport: smtpTransport(parsed, options),
      relay: parsed.host,
      connections: parsed.maxConnections,
      dsn: parsed.dsn,
      holding: holdingOf(settings.egressUrl),
    };
  } catch (error) {
    if (!(error instanceof EgressUrlError)) throw error;
    return { issue: "malformed", detail: error.message };
  }
}

/** Returns the egress of broadcasts and bulk sends, or why there is none. Null: they have no egress of their own. */
export function bulkEgressOf(
  settings: Parameters<typeof egressOf>[0] & Pick<Settings, "bulkEgressUrl">,
): Egress | UnusableEgress | null {
  if (settings.bulkEgressUrl === "") return null;
  const egress = egressOf({ ...settings, egressUrl: settings.bulkEgressUrl });
  return "issue" in egress ? { ...egress, detail: egress.detail.replace("EGRESS_URL", "BULK_EGRESS_URL") } : egress;
}

function holdingOf(url: string): { isOffered: boolean } {
  const holding = holdings.get(url) ?? { isOffered: false };
  holdings.set(url, holding);
  return holding;
}
