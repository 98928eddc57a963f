import { type SmtpOptions, smtpTransport } from "../../../mail/smtp/connect.ts";
import { EgressUrlError, parseEgressUrl } from "../../../mail/smtp/egress-url.ts";
import type { Transport } from "../../../mail/smtp/transport.ts";
import { MAIN_EGRESS } from "../../../platform/settings/named-egresses.ts";
import type { Settings } from "../../../platform/settings/settings.ts";

/** The SMTP server that takes outgoing mail, and how to use it. */
export interface Egress {
  transport: Transport;
  /** Host name, as shown in events. */
  relay: string;
  /** Connections that one run may open at once. */
  connections: number;
  /** True when success notifications (RFC 3461) are requested where the server offers them. */
  dsn: boolean;
  /** Remembers whether the server offers to hold emails: then its reports move the content of emails that are claimed. */
  holding?: { isOffered: boolean };
}

/** By egress URL, of which a deployment has at most 26. */
const holdings = new Map<string, { isOffered: boolean }>();

/**
 * The state of a deployment with an egress whose setting is missing or malformed, or that has placeholders among its settings: email
 * waits (docs/contract/delivery.md#missing-egress).
 */
export interface UnusableEgress {
  /** Name of the egress (src/sending/receivers/egress-name.ts). */
  name: string;
  issue: "not_configured" | "malformed" | "misconfigured";
  /** Names the invalid part of the setting, never its password. For operators only: tenants see a fixed text. */
  detail: string;
}

type DeploymentSettings = Partial<Pick<Settings, "placeholders" | "isLocal">>;
type EgressSettings = Pick<Settings, "egressUrl"> & DeploymentSettings;

/** Returns the egress of EGRESS_URL, or why there is none. `options` sets shorter timeouts in tests. */
export function egressOf(settings: EgressSettings, options: SmtpOptions = {}): Egress | UnusableEgress {
  const { egressUrl: url } = settings;
  return toEgress(settings, { name: MAIN_EGRESS, url, setting: "EGRESS_URL" }, options);
}

interface NamedUrl {
  name: string;
  url: string;
  /** How issues name the setting. */
  setting: string;
}

/** Returns the egress with this URL, or why it cannot be used. */
export function toEgress(
  { placeholders = [], isLocal }: DeploymentSettings,
  { name, url, setting }: NamedUrl,
  options: SmtpOptions = {},
): Egress | UnusableEgress {
  if (placeholders.length > 0)
    return { name, issue: "misconfigured", detail: `placeholders in ${placeholders.join(", ")}` };
  if (url === "") return { name, issue: "not_configured", detail: `${setting} is empty` };
  try {
    const parsed = parseEgressUrl(url, isLocal);
    return {
      transport: smtpTransport(parsed, options),
      relay: parsed.host,
      connections: parsed.maxConnections,
      dsn: parsed.dsn,
      holding: holdingOf(url),
    };
  } catch (error) {
    if (!(error instanceof EgressUrlError)) throw error;
    return { name, issue: "malformed", detail: error.message.replace("EGRESS_URL", setting) };
  }
}

/** Returns whether the server of a URL has offered to hold emails, as far as this isolate knows. */
export const isKnownToHold = (url: string): boolean => holdings.get(url)?.isOffered === true;

function holdingOf(url: string): { isOffered: boolean } {
  const holding = holdings.get(url) ?? { isOffered: false };
  holdings.set(url, holding);
  return holding;
}
