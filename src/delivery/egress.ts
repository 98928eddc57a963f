import type { Transport } from "../mail/smtp/index.ts";
import { parseEgressUrl, type SmtpOptions, smtpTransport } from "../mail/smtp/index.ts";
import type { Settings } from "../settings.ts";

/** The SMTP server that takes outgoing mail, and how to use it. */
export interface Egress {
  transport: Transport;
  /** Host name, as shown in events. */
  relay: string;
  /** Connections that one run may open at once. */
  connections: number;
  /** Whether to request success notifications (RFC 3461) where the server offers them. */
  dsn: boolean;
}

/** Returns the egress of the deployment, or null when none is configured. Throws EgressUrlError. `options` sets shorter timeouts in tests. */
export function egressOf(settings: Settings, options: SmtpOptions = {}): Egress | null {
  if (settings.egressUrl === "") return null;
  const parsed = parseEgressUrl(settings.egressUrl);
  return {
    transport: smtpTransport(parsed, options),
    relay: parsed.host,
    connections: parsed.maxConnections,
    dsn: parsed.dsn,
  };
}
