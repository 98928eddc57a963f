import { createPublicKey, X509Certificate } from "node:crypto";

/** A TLSA record (RFC 6698 2.1). */
export interface TlsaRecord {
  usage: number;
  selector: number;
  matchingType: number;
  /** Certificate association data. */
  certificate: Buffer;
}

/** Certificate usages that SMTP has (RFC 7672 3.1): the others are unusable. */
export const DANE_TA = 2;
export const DANE_EE = 3;
/** Selectors. */
const CERTIFICATE = 0;
export const PUBLIC_KEY = 1;
/** Matching types. */
export const FULL = 0;
const SHA2_256 = 1;
export const SHA2_512 = 2;

const DIGEST_BYTES: Readonly<Record<number, number>> = { [SHA2_256]: 32, [SHA2_512]: 64 };

/**
 * Returns the records by which a server can be authenticated. Of digests of the same usage and selector only those of the strongest
 * algorithm count (RFC 7671 9). Pure.
 */
export function usableRecords(records: readonly TlsaRecord[]): TlsaRecord[] {
  const usable = records.filter(isUsable);
  return usable.filter(
    ({ usage, selector, matchingType }) =>
      matchingType === FULL ||
      usable.every(
        (other) => other.usage !== usage || other.selector !== selector || other.matchingType <= matchingType,
      ),
  );
}

function isUsable({ usage, selector, matchingType, certificate }: TlsaRecord): boolean {
  if ((usage !== DANE_TA && usage !== DANE_EE) || (selector !== CERTIFICATE && selector !== PUBLIC_KEY)) return false;
  if (matchingType !== FULL) return DIGEST_BYTES[matchingType] === certificate.length;
  return selector === CERTIFICATE ? certificateIn(certificate) !== null : keyIn(certificate) !== null;
}

/** Returns the key that a record has in full, or null. Pure. */
export function keyOf({ selector, matchingType, certificate }: TlsaRecord) {
  if (matchingType !== FULL) return null;
  return selector === PUBLIC_KEY ? keyIn(certificate) : (certificateIn(certificate)?.publicKey ?? null);
}

function certificateIn(der: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(der);
  } catch {
    return null;
  }
}

function keyIn(der: Buffer) {
  try {
    return createPublicKey({ key: der, format: "der", type: "spki" });
  } catch {
    return null;
  }
}

/** Returns a text that differs when the records do. Pure. */
export function textOfRecords(records: readonly TlsaRecord[]): string {
  const texts = records.map(
    ({ usage, selector, matchingType, certificate }) =>
      `${usage} ${selector} ${matchingType} ${certificate.toString("hex")}`,
  );
  return texts.sort().join(",");
}
