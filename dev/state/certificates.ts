import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import selfsigned from "selfsigned";
import { readJson, writeDurably } from "./files.ts";

/** Certificate of the local egress, and the temporary authority that signed it. */
export interface Certificates {
  /** Path of the PEM file with the authority's certificate, for NODE_EXTRA_CA_CERTS. */
  authorityFile: string;
  key: string;
  certificate: string;
}

interface Stored {
  expires_at: string;
  key: string;
  certificate: string;
}

const VALID_DAYS = 365;
const RENEW_DAYS = 7;
const DAY_MS = 86_400_000;

/** Reads the certificates of this state directory. Creates new ones when none exist or they expire within 7 days. */
export async function loadCertificates(directory: string): Promise<Certificates> {
  await mkdir(directory, { recursive: true });
  const authorityFile = path.join(directory, "authority.pem");
  const leafFile = path.join(directory, "egress.json");
  const known = await readJson<Stored>(leafFile);
  const leaf = known && Date.parse(known.expires_at) > Date.now() + RENEW_DAYS * DAY_MS ? known : null;
  if (leaf) return { authorityFile, key: leaf.key, certificate: leaf.certificate };
  const made = await makeCertificates();
  // The authority is written first, so that an existing leaf certificate always has its authority.
  await writeDurably(authorityFile, made.authority);
  await writeDurably(leafFile, JSON.stringify(made.leaf, null, 2), 0o600);
  return { authorityFile, key: made.leaf.key, certificate: made.leaf.certificate };
}

/** Writes key and certificate as PEM files, and returns the variables by which the gateway and the egress find them. */
export async function writeCertificateFiles(directory: string, { key, certificate }: Certificates) {
  const [keyFile, certificateFile] = [path.join(directory, "key.pem"), path.join(directory, "certificate.pem")];
  await writeFile(keyFile, key, { mode: 0o600 });
  await writeFile(certificateFile, certificate);
  return { TLS_KEY_FILE: keyFile, TLS_CERTIFICATE_FILE: certificateFile };
}

async function makeCertificates(): Promise<{ authority: string; leaf: Stored }> {
  const expires = new Date(Date.now() + VALID_DAYS * DAY_MS);
  // RSA, because selfsigned 5.5.0 fails on EC keys ("Cannot get schema for 'AlgorithmIdentifier'").
  const common = { algorithm: "sha256", keyType: "rsa", notAfterDate: expires } as const;
  const authority = await selfsigned.generate([{ name: "commonName", value: "Temporary authority of npm start" }], {
    ...common,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const leaf = await selfsigned.generate([{ name: "commonName", value: "localhost" }], {
    ...common,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, keyEncipherment: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "localhost" },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  return {
    authority: authority.cert,
    leaf: { expires_at: expires.toISOString(), key: leaf.private, certificate: leaf.cert },
  };
}
