/** Parses EGRESS_URL, the SMTP server that takes outgoing mail. Pure; no error message contains the password. */

export type TlsMode = "implicit" | "starttls" | "off";

/** The parsed EGRESS_URL. */
export interface EgressSettings {
  host: string;
  port: number;
  tls: TlsMode;
  /** Both or neither. */
  credentials: { username: string; password: string } | null;
  /**
   * Name that the certificate must have when it is not `host`; STARTTLS only. Works in local workerd; production is
   * reported to refuse the option, and then every connection fails.
   */
  serverName: string | null;
  /** True when success notifications (RFC 3461) are requested; the caller adds them to the envelope. */
  dsn: boolean;
  /** Name given in EHLO (RFC 5321 4.1.1.1). */
  ehloName: string;
  /** Connections that one delivery run may open at once, 1 to 4 (a Worker has six sockets). */
  maxConnections: number;
}

/** Signals a malformed EGRESS_URL. The message names the part and never contains the password. */
export class EgressUrlError extends Error {
  constructor(message: string) {
    super(`EGRESS_URL: ${message}`);
    this.name = "EgressUrlError";
  }
}

const KNOWN_OPTIONS = new Set(["tls", "name", "dsn", "ehlo", "connections"]);
const HOST_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?$/i;
const ADDRESS_LITERAL = /^\[[0-9a-f:.]{2,60}\]$/i;

/**
 * Parses `smtps://user:password@host[:465]` (implicit TLS, RFC 8314) or `smtp://user:password@host[:587]` (STARTTLS
 * required). Options: `tls=off` (clear text, `smtp://` only), `name=` (certificate name, STARTTLS only), `dsn=on|off`, `ehlo=`, `connections=1..4`. User and password are percent-encoded UTF-8. `isLocal`: port 25 is allowed,
 * which Cloudflare closes to Workers. Throws EgressUrlError.
 */
export function parseEgressUrl(url: string, isLocal = true): EgressSettings {
  const parsed = URL.parse(url);
  if (!parsed) throw new EgressUrlError("not a URL; a password with special characters must be percent-encoded");
  if (parsed.protocol !== "smtp:" && parsed.protocol !== "smtps:")
    throw new EgressUrlError("must start with smtp:// or smtps://");
  if (parsed.hash || (parsed.pathname !== "" && parsed.pathname !== "/")) {
    throw new EgressUrlError("has a path or a fragment; a password with '/', '?' or '#' must be percent-encoded");
  }
  const options = readOptions(parsed.searchParams);
  const tls = readTls(parsed.protocol, options);
  return {
    host: readHost(parsed.hostname),
    port: readPort(parsed, tls, isLocal),
    tls,
    credentials: readCredentials(parsed),
    serverName: readServerName(options, tls),
    dsn: oneOf(options, "dsn", ["off", "on"]) === "on",
    ehloName: readEhloName(options),
    maxConnections: Number(oneOf(options, "connections", ["4", "1", "2", "3"])),
  };
}

function readOptions(params: URLSearchParams): Map<string, string> {
  const options = new Map<string, string>();
  for (const [key, value] of params) {
    if (!KNOWN_OPTIONS.has(key))
      throw new EgressUrlError("has an unknown option; known: tls, name, dsn, ehlo, connections");
    if (options.has(key)) throw new EgressUrlError(`option "${key}" is given twice`);
    options.set(key, value);
  }
  return options;
}

/** Returns the value of an option, or the first allowed value when the option is absent. */
function oneOf(options: Map<string, string>, key: string, allowed: readonly string[]): string | undefined {
  const value = options.get(key) ?? allowed[0];
  if (value !== undefined && !allowed.includes(value)) {
    throw new EgressUrlError(`option "${key}" must be one of ${allowed.join(", ")}`);
  }
  return value;
}

function readTls(protocol: string, options: Map<string, string>): TlsMode {
  if (protocol === "smtps:") {
    if (options.has("tls")) throw new EgressUrlError('smtps:// always uses TLS; option "tls" is for smtp:// only');
    return "implicit";
  }
  return oneOf(options, "tls", ["starttls", "off"]) === "off" ? "off" : "starttls";
}

function readHost(hostname: string): string {
  if (!HOST_NAME.test(hostname) && !ADDRESS_LITERAL.test(hostname)) throw new EgressUrlError("has no valid host name");
  return hostname.toLowerCase();
}

function readPort(parsed: URL, tls: TlsMode, isLocal: boolean): number {
  const port = parsed.port === "" ? (tls === "implicit" ? 465 : 587) : Number(parsed.port);
  if (port === 0) throw new EgressUrlError("has port 0");
  if (port === 25 && !isLocal) {
    throw new EgressUrlError(
      "has port 25, to which no Cloudflare Worker can connect; take 587 (smtp://) or 465 (smtps://)",
    );
  }
  return port;
}

function readCredentials(parsed: URL): EgressSettings["credentials"] {
  if (parsed.username === "" && parsed.password === "") return null;
  if (parsed.username === "" || parsed.password === "")
    throw new EgressUrlError("needs both a user name and a password, or neither");
  return { username: decode(parsed.username, "user name"), password: decode(parsed.password, "password") };
}

function decode(text: string, part: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw new EgressUrlError(`the ${part} is not valid percent-encoded UTF-8`);
  }
  if (decoded.includes("\0")) throw new EgressUrlError(`the ${part} contains a NUL`);
  return decoded;
}

function readServerName(options: Map<string, string>, tls: TlsMode): string | null {
  const name = options.get("name");
  if (name === undefined) return null;
  if (tls === "implicit") {
    throw new EgressUrlError(
      'option "name" requires STARTTLS (smtp://): workerd checks an smtps:// certificate against the host only',
    );
  }
  if (tls === "off") throw new EgressUrlError('option "name" cannot be combined with tls=off');
  if (!HOST_NAME.test(name)) throw new EgressUrlError('option "name" is not a host name');
  return name.toLowerCase();
}

function readEhloName(options: Map<string, string>): string {
  // A Worker has no host name and no fixed address; RFC 5321 4.1.4 then requires an address literal.
  const name = options.get("ehlo") ?? "[127.0.0.1]";
  if (!HOST_NAME.test(name) && !ADDRESS_LITERAL.test(name))
    throw new EgressUrlError('option "ehlo" is not a host name or address literal');
  return name;
}
