import type { X509Certificate } from "node:crypto";

/** Tag of a field of a TBSCertificate that only certificates of version 2 and 3 have (RFC 5280 4.1). */
const VERSION_TAG = 0xa0;
/** Fields between the version and the public key: serial number, algorithm, issuer, validity, subject. */
const FIELDS_BEFORE_KEY = 5;
const LONG_LENGTH = 0x80;
/** Bytes of a length: a chain of certificates has far less than 4 GiB. OpenSSL takes longer ones with leading zeros, which DER forbids. */
const MAX_LENGTH_BYTES = 4;

/** Returns the SubjectPublicKeyInfo of a certificate as it was signed, byte by byte: TLSA records with selector 1 are of it. Throws RangeError for one that is not DER. Pure. */
export function publicKeyInfo({ raw }: Pick<X509Certificate, "raw">): Buffer {
  const certificate = elementAt(raw, 0);
  let at = elementAt(raw, certificate.content).content;
  if (raw[at] === VERSION_TAG) at = elementAt(raw, at).end;
  for (let field = 0; field < FIELDS_BEFORE_KEY; field++) at = elementAt(raw, at).end;
  return raw.subarray(at, elementAt(raw, at).end);
}

/** Returns where the content of a DER element begins and where the element ends, within `bytes`. Throws RangeError. */
function elementAt(bytes: Buffer, at: number): { content: number; end: number } {
  const first = bytes.readUInt8(at + 1);
  const lengthBytes = first < LONG_LENGTH ? 0 : first - LONG_LENGTH;
  if (first === LONG_LENGTH || lengthBytes > MAX_LENGTH_BYTES) throw new RangeError("the length is malformed");
  const content = at + 2 + lengthBytes;
  const end = content + (lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes));
  if (end > bytes.length) throw new RangeError("the element exceeds the certificate");
  return { content, end };
}
