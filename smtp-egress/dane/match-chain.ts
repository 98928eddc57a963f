import { X509Certificate as Certificate, createHash, type X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { publicKeyInfo } from "./certificate.ts";
import { DANE_EE, DANE_TA, FULL, keyOf, PUBLIC_KEY, SHA2_512, type TlsaRecord } from "./tlsa.ts";

/** Certificates of a chain that are looked at. */
const MAX_DEPTH = 8;
/** Extended key usages that allow a TLS server (RFC 5280 4.2.1.12). */
const SERVER_USAGES = ["1.3.6.1.5.5.7.3.1", "2.5.29.37.0"];

/** The records of a server and the names that its certificate may have with usage DANE-TA (RFC 7672 3.2.3). */
export interface Expected {
  records: readonly TlsaRecord[];
  names: readonly string[];
}

/** Returns the chain of the certificate of a TLS server, its own first. */
export function peerChain(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  for (let next = socket.getPeerCertificate(true); next?.raw && chain.length < MAX_DEPTH; ) {
    chain.push(new Certificate(next.raw));
    // A self-signed certificate is its own issuer.
    if (!next.issuerCertificate || next.issuerCertificate === next) break;
    next = next.issuerCertificate;
  }
  return chain;
}

/**
 * Returns why no record authenticates a server with this chain, or null when one does. A record of usage DANE-EE stands for the
 * certificate whatever its names and dates (RFC 7671 5.1); with DANE-TA the chain must lead to it, be valid and have one of the names.
 * `now` in ms since 1970. Pure.
 */
export function chainIssue(
  chain: readonly X509Certificate[],
  { records, names }: Expected,
  now: number,
): string | null {
  const [leaf] = chain;
  if (!leaf) return "the server has no certificate";
  if (records.some((record) => record.usage === DANE_EE && matches(record, leaf))) return null;
  const anchors = records.filter(({ usage }) => usage === DANE_TA);
  const path = anchoredPath(chain, anchors);
  if (path === null) return "its certificate matches no TLSA record";
  if (path.some((certificate) => !isInTime(certificate, now)))
    return "its certificate matches a TLSA record, but is expired or not valid yet";
  if (!isForServers(leaf)) return "its certificate matches a TLSA record, but is not for servers";
  if (names.some((name) => leaf.checkHost(name) !== undefined)) return null;
  return `its certificate matches a TLSA record, but has none of the names ${names.join(", ")}`;
}

/** Returns the certificates from that of the server to one that a record names, or to one that the key of a record signed; or null. */
function anchoredPath(chain: readonly X509Certificate[], anchors: readonly TlsaRecord[]): X509Certificate[] | null {
  const path: X509Certificate[] = [];
  for (const certificate of chain) {
    const previous = path.at(-1);
    if (previous && !hasIssued(certificate, previous)) return null;
    path.push(certificate);
    if (previous && anchors.some((record) => matches(record, certificate))) return path;
    // A record with the whole certificate or key serves when the server does not send it (RFC 7671 5.2.2, 5.2.3).
    if (anchors.some((record) => isSignedBy(certificate, record))) return path;
  }
  return null;
}

function hasIssued(issuer: X509Certificate, issued: X509Certificate): boolean {
  try {
    return issuer.ca && issued.checkIssued(issuer) && issued.verify(issuer.publicKey);
  } catch {
    // A key of a kind that OpenSSL does not know.
    return false;
  }
}

function isSignedBy(certificate: X509Certificate, record: TlsaRecord): boolean {
  const key = keyOf(record);
  try {
    return key !== null && certificate.verify(key);
  } catch {
    return false;
  }
}

function matches({ selector, matchingType, certificate: data }: TlsaRecord, certificate: X509Certificate): boolean {
  const selected = selector === PUBLIC_KEY ? publicKeyInfo(certificate) : certificate.raw;
  if (matchingType === FULL) return selected.equals(data);
  return createHash(matchingType === SHA2_512 ? "sha512" : "sha256")
    .update(selected)
    .digest()
    .equals(data);
}

const isInTime = ({ validFrom, validTo }: X509Certificate, now: number) =>
  Date.parse(validFrom) <= now && now <= Date.parse(validTo);

function isForServers({ keyUsage }: X509Certificate): boolean {
  // Undefined in a certificate without the extension, though the types say otherwise.
  const usages: readonly string[] | undefined = keyUsage;
  return usages === undefined || usages.some((usage) => SERVER_USAGES.includes(usage));
}
