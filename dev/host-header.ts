/** Hostnames under which a browser on this machine reaches a server on 127.0.0.1. */
const LOCAL_HOSTS = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Returns true if a Host header names this machine, with any port. A server on 127.0.0.1 must refuse other hosts:
 * otherwise a website can point its own domain at 127.0.0.1 and read the responses (DNS rebinding).
 */
export function isLocalHost(header: string | undefined): boolean {
  const hostname = header?.replace(/:\d{1,5}$/, "").toLowerCase();
  return hostname !== undefined && LOCAL_HOSTS.has(hostname);
}
