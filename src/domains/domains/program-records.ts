import { type MailServer, mailServers } from "../../platform/settings/mail-servers.ts";
import type { Settings } from "../../platform/settings/settings.ts";
import { type ExpectedRecord, recordOf } from "./expected-record.ts";
import type { DomainRow } from "./queries.ts";

/** The settings of the records. */
export type ProgramSettings = "smtpHost" | "smtpPort" | "mailPrograms" | "publicUrl";

/** The services of mail programs (RFC 6186, RFC 8314 5.1), and whether one that is not offered is said not to be. */
const SERVICES = [
  ["_imaps._tcp", "imap", "tls"],
  ["_imap._tcp", "imap", "starttls"],
  ["_submissions._tcp", "smtp", "tls"],
  ["_submission._tcp", "smtp", "starttls"],
] as const satisfies [string, MailServer["protocol"], MailServer["security"]][];

/** The value of a service that is not offered (RFC 2782): weight, port and the root as its target. */
const NOT_OFFERED = "0 0 .";

/**
 * Returns the SRV records by which mail programs find the servers of a domain whose mail comes here. Outlook is led to this service, which
 * has a certificate, while a host of the domain would need one of its own. None when the deployment offers no IMAP. Pure.
 */
export function programRecords(
  settings: Pick<Settings, ProgramSettings>,
  { name, records }: Pick<DomainRow, "name" | "records">,
): ExpectedRecord[] {
  const servers = mailServers(settings);
  if (servers.length === 0 || records.mx !== "verified") return [];
  const record = (label: string, value: string): ExpectedRecord => {
    const key = `srv:${label}`;
    return recordOf({ key, purpose: "mail_programs", type: "SRV", name: `${label}.${name}`, value, priority: 0 });
  };
  const services = SERVICES.map(([label, protocol, security]) => {
    const server = servers.find((one) => one.protocol === protocol && one.security === security);
    return record(label, server ? `1 ${server.port} ${server.host.toLowerCase()}` : NOT_OFFERED);
  });
  const { protocol, hostname, port } = new URL(settings.publicUrl);
  // Outlook asks by HTTPS only.
  const autodiscover = protocol === "https:" ? [record("_autodiscover._tcp", `1 ${port || 443} ${hostname}`)] : [];
  return [...services, ...autodiscover];
}
