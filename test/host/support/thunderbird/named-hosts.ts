/** Host names of this machine for a program that is shown another network: their certificate, and https before the Worker. */
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import tls from "node:tls";
import { createAuthority } from "../test-authority.ts";

/** A certificate of host names, and the authority that signed it. */
export interface NamedCertificate {
  /** PEM of the authority. */
  authority: string;
  key: string;
  certificate: string;
  /** Where key and certificate are, as the gateway reads them. */
  files: { keyFile: string; certificateFile: string };
  /** Deletes the files. */
  remove(): Promise<void>;
}

/** Makes an authority and a certificate of these names, and writes the certificate and its key into files. */
export async function certify(names: readonly string[]): Promise<NamedCertificate> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "named-hosts-"));
  const { file, certify } = await createAuthority(folder);
  const { key, cert } = await certify(...names);
  const files = { keyFile: path.join(folder, "named.key"), certificateFile: path.join(folder, "named.pem") };
  await writeFile(files.keyFile, key, { mode: 0o600 });
  await writeFile(files.certificateFile, cert);
  const remove = () => rm(folder, { recursive: true, force: true });
  return { authority: await readFile(file, "utf8"), key, certificate: cert, files, remove };
}

/** Refuses a TLS connection to a name that is not served. */
const ALERT = new Error("no such host");

export class HttpsHosts {
  readonly #server: https.Server;
  /** Requests that came, as `GET https://host/path`, without their queries. */
  readonly requests: string[] = [];

  private constructor({ key, certificate: cert }: NamedCertificate, names: readonly string[], url: string) {
    const context = tls.createSecureContext({ key, cert });
    const SNICallback = (name: string, done: (error: Error | null, context?: tls.SecureContext) => void) =>
      names.includes(name) ? done(null, context) : done(ALERT);
    this.#server = https.createServer({ key, cert, SNICallback }, (request, response) => {
      this.requests.push(`${request.method} https://${request.headers.host}${request.url?.split("?")[0]}`);
      const options = { method: request.method, headers: request.headers };
      const forwarded = http.request(`${url}${request.url}`, options, (answered) => {
        response.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(response);
      });
      forwarded.on("error", () => response.destroy());
      request.pipe(forwarded);
    });
    this.#server.on("tlsClientError", () => {});
  }

  /** Serves https for these names, and no others, before the Worker at `url`. */
  static async open(certificate: NamedCertificate, names: readonly string[], url: string): Promise<HttpsHosts> {
    const hosts = new HttpsHosts(certificate, names, url);
    await once(hosts.#server.listen(0, "127.0.0.1"), "listening");
    return hosts;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
