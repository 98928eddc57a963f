/** Chains of certificates and the TLSA records of their parts. */
import { createHash, X509Certificate } from "node:crypto";
import { generate } from "selfsigned";
import type { TlsaRecord } from "../../../../smtp-egress/dane/tlsa.ts";

export interface Chain {
  /** Key and chain of a server, without the root where that is left out. */
  key: string;
  cert: string;
  leaf: X509Certificate;
  middle: X509Certificate;
  root: X509Certificate;
}

export interface ChainOptions {
  names?: string[];
  /** Of the server's certificate. */
  notAfterDate?: Date;
  isForClients?: boolean;
  /** False: the middle certificate may not issue others. */
  isMiddleAuthority?: boolean;
  /** Certificates that the server sends after its own. */
  sends?: ("middle" | "root")[];
}

const BITS = { algorithm: "sha256" } as const;
const AUTHORITY = [
  { name: "basicConstraints" as const, cA: true, critical: true },
  { name: "keyUsage" as const, keyCertSign: true, cRLSign: true, critical: true },
];

/** Makes a root, a middle authority and a certificate of a server. */
export async function makeChain(options: ChainOptions = {}): Promise<Chain> {
  const { names = ["mx.one.test"], isMiddleAuthority = true, sends = ["middle", "root"] } = options;
  const root = await generate([{ name: "commonName", value: "Root of DANE tests" }], {
    ...BITS,
    extensions: AUTHORITY,
  });
  const middle = await generate([{ name: "commonName", value: "Middle of DANE tests" }], {
    ...BITS,
    ca: { key: root.private, cert: root.cert },
    extensions: isMiddleAuthority ? AUTHORITY : [{ name: "basicConstraints", cA: false }],
  });
  const leaf = await generate([{ name: "commonName", value: names[0] ?? "" }], {
    ...BITS,
    ca: { key: middle.private, cert: middle.cert },
    ...(options.notAfterDate ? { notBeforeDate: new Date(0), notAfterDate: options.notAfterDate } : {}),
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true },
      options.isForClients
        ? { name: "extKeyUsage" as const, clientAuth: true }
        : { name: "extKeyUsage" as const, serverAuth: true },
      { name: "subjectAltName", altNames: names.map((value) => ({ type: 2 as const, value })) },
    ],
  });
  const parts = { middle: middle.cert, root: root.cert };
  return {
    key: leaf.private,
    cert: [leaf.cert, ...sends.map((part) => parts[part])].join("\n"),
    leaf: new X509Certificate(leaf.cert),
    middle: new X509Certificate(middle.cert),
    root: new X509Certificate(root.cert),
  };
}

/** Returns a TLSA record of a certificate, by means other than those of the egress. */
export function tlsaOf(
  certificate: X509Certificate,
  usage: number,
  selector: number,
  matchingType: number,
): TlsaRecord {
  const selected = selector === 0 ? certificate.raw : certificate.publicKey.export({ type: "spki", format: "der" });
  const digest = (name: string) => createHash(name).update(selected).digest();
  const data = [selected, digest("sha256"), digest("sha512")][matchingType] ?? Buffer.alloc(0);
  return { usage, selector, matchingType, certificate: data };
}
