/** Certificates of an authority that only a test trusts. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { generate } from "selfsigned";

export interface TestAuthority {
  /** File with its certificate, for CA_FILE. */
  file: string;
  /** Returns a key and a certificate for these host names. */
  certify(...names: string[]): Promise<{ key: string; cert: string }>;
}

/** Creates an authority whose certificate is written to this folder. */
export async function createAuthority(folder: string): Promise<TestAuthority> {
  const authority = await generate([{ name: "commonName", value: "Authority of a test" }], {
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const file = path.join(folder, "test-authority.pem");
  await writeFile(file, authority.cert);
  return {
    file,
    async certify(...names) {
      const leaf = await generate([{ name: "commonName", value: names[0] ?? "" }], {
        algorithm: "sha256",
        ca: { key: authority.private, cert: authority.cert },
        extensions: [
          { name: "basicConstraints", cA: false },
          { name: "keyUsage", digitalSignature: true },
          { name: "extKeyUsage", serverAuth: true },
          { name: "subjectAltName", altNames: names.map((value) => ({ type: 2, value })) },
        ],
      });
      return { key: leaf.private, cert: leaf.cert };
    },
  };
}
