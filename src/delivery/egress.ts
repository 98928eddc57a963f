import type { Transport } from "../mail/smtp/index.ts";
import { parseEgressUrl, type SmtpOptions, smtpTransport } from "../mail/smtp/index.ts";
import type { Settings } from "../settings.ts";

/** Where mail leaves the house, and how. */
export interface Egress {
  transport: Transport;
  /** Host, as events name it. */
  relay: string;
  /** Connections a run may hold at once. */
  connections: number;
  /** Ask for success notifications where the server offers them. */
  dsn: boolean;
}

/** The egress of a deployment; null when none is configured. Throws EgressUrlError. `options` shortens deadlines for tests. */
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
