/** Where mail programs read mailboxes, and the port of `smtpHost` with TLS. A port is null when there is none. */
export interface MailPrograms {
  imapHost: string;
  imapPort: number | null;
  imapStarttlsPort: number | null;
  smtpTlsPort: number | null;
}

type Port = "IMAP_PORT" | "IMAP_STARTTLS_PORT" | "SMTP_TLS_PORT";

/** Returns where mail programs read mailboxes. Null: IMAP is not offered. Pure. */
export function toMailPrograms(variables: { IMAP_HOST: string } & Readonly<Record<Port, number>>): MailPrograms | null {
  if (variables.IMAP_HOST === "") return null;
  return {
    imapHost: variables.IMAP_HOST,
    imapPort: variables.IMAP_PORT || null,
    imapStarttlsPort: variables.IMAP_STARTTLS_PORT || null,
    smtpTlsPort: variables.SMTP_TLS_PORT || null,
  };
}

/** A server of mail programs. */
export interface MailServer {
  protocol: "imap" | "smtp";
  host: string;
  port: number;
  /** `tls`: from the first byte (RFC 8314 3.3). */
  security: "tls" | "starttls";
}

/** Returns the servers of mail programs, TLS before STARTTLS (RFC 8314 4.1). None when the deployment offers no IMAP. Pure. */
export function mailServers({
  smtpHost,
  smtpPort,
  mailPrograms,
}: {
  smtpHost: string;
  smtpPort: number;
  mailPrograms: MailPrograms | null;
}): MailServer[] {
  if (mailPrograms === null) return [];
  const { imapHost, imapPort, imapStarttlsPort, smtpTlsPort } = mailPrograms;
  const servers: [MailServer["protocol"], string, number | null, MailServer["security"]][] = [
    ["imap", imapHost, imapPort, "tls"],
    ["imap", imapHost, imapStarttlsPort, "starttls"],
    ["smtp", smtpHost, smtpTlsPort, "tls"],
    ["smtp", smtpHost, smtpPort, "starttls"],
  ];
  return servers.flatMap(([protocol, host, port, security]) =>
    port === null ? [] : [{ protocol, host, port, security }],
  );
}
