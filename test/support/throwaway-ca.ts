/**
 * Creates a certificate authority for one test run. workerd has no option for it: Miniflare reads extra authorities from
 * NODE_EXTRA_CA_CERTS once, when it is loaded, so vitest.config.ts calls this before it loads the plugin.
 */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { generate } from "selfsigned";

/** One folder per process, because two test runs may run at once. */
const FOLDER = path.join(import.meta.dirname, `../../.dev/test-ca-${process.pid}`);
const CA_FILE = path.join(FOLDER, "ca.pem");
const SERVER_NAME = "server.json";

/** Keys and certificates of the test servers: one for localhost and 127.0.0.1, one for smtp.test only. */
export interface ServerKeys {
  local: { key: string; cert: string };
  named: { key: string; cert: string };
}

/** Creates the authority and the server certificates, and sets NODE_EXTRA_CA_CERTS. Call it before Miniflare is loaded. */
export async function trustThrowawayCa(): Promise<void> {
  const ca = await generate([{ name: "commonName", value: "Throwaway test CA" }], {
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const signer = { key: ca.private, cert: ca.cert };
  const keys: ServerKeys = {
    local: await leaf(signer, [
      { type: 2, value: "localhost" },
      { type: 7, ip: "127.0.0.1" },
    ]),
    named: await leaf(signer, [{ type: 2, value: "smtp.test" }]),
  };
  const configured = process.env.NODE_EXTRA_CA_CERTS;
  const existing =
    configured && configured !== CA_FILE && existsSync(configured) ? readFileSync(configured, "utf8") : "";
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(CA_FILE, `${existing}${ca.cert}`);
  writeFileSync(path.join(FOLDER, SERVER_NAME), JSON.stringify(keys), { mode: 0o600 });
  process.env.NODE_EXTRA_CA_CERTS = CA_FILE;
  process.on("exit", () => rmSync(FOLDER, { recursive: true, force: true }));
}

/** Reads the keys and certificates that `trustThrowawayCa` created, in this process or in the one that started it. */
export function serverKeys(): ServerKeys {
  const folder = path.dirname(process.env.NODE_EXTRA_CA_CERTS ?? CA_FILE);
  return JSON.parse(readFileSync(path.join(folder, SERVER_NAME), "utf8"));
}

type AltNames = { type: 2 | 7; value?: string; ip?: string }[];

async function leaf(ca: { key: string; cert: string }, altNames: AltNames) {
  const generated = await generate([{ name: "commonName", value: "Test SMTP server" }], {
    algorithm: "sha256",
    ca,
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true },
      { name: "extKeyUsage", serverAuth: true },
      { name: "subjectAltName", altNames },
    ],
  });
  return { key: generated.private, cert: generated.cert };
}
