/** The mail gateway in front of a Worker that runs in its own process, with an egress that keeps what it gets. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { SMTPServer } from "smtp-server";
import { type Host, startHost } from "../../../bench/host/start.ts";
import type { Seeded } from "../../../dev/seed-workspace.ts";
import { loadCertificates, writeCertificateFiles } from "../../../dev/state/certificates.ts";
import { type Clock, systemClock } from "../../../mail-gateway/clock.ts";
import { type GatewayConfig, type GatewayLimits, readConfig } from "../../../mail-gateway/config.ts";
import { type Gateway, startGateway } from "../../../mail-gateway/gateway.ts";
import { findTestPort } from "./ports.ts";

export const GATEWAY_SECRET = "gateway-secret-of-the-tests-0123456789";
const MASTER_KEYS = `1:${Buffer.alloc(32, 7).toString("base64")}`;
const HOST = "127.0.0.1";

/** A message that left through the egress. */
export interface SentMessage {
  from: string;
  to: string[];
  raw: string;
}

/** The credential of the seeded domain. */
export interface Login {
  username: string;
  password: string;
}

export interface GatewayRig {
  host: Host;
  gateway: Gateway;
  seed: Seeded;
  login: Login;
  /** Ports: STARTTLS, implicit TLS, MX. */
  ports: { starttls: number; implicit: number; mx: number; health: number };
  caFile: string;
  stateDir: string;
  /** Messages that left through the egress, as Latin-1. */
  sent: SentMessage[];
  /** Starts a gateway with other limits, or another clock, in front of the same Worker. It ends with the rig. */
  startGateway(limits: Partial<GatewayLimits>, clock?: Clock): Promise<Gateway>;
  /** Calls the API with the key of the workspace. */
  api(method: string, path: string, body?: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** Writes the certificate of a temporary authority and returns the variables of the gateway for it. */
export async function certificateFiles(directory: string) {
  const certificates = await loadCertificates(directory);
  return { authorityFile: certificates.authorityFile, variables: await writeCertificateFiles(directory, certificates) };
}

/**
 * Starts everything. `limits` replaces limits of the gateway, `settings` other parts of its configuration. With `egressUrl` mail
 * leaves through that server, and `sent` stays empty. `variables` are further ones of the Worker.
 */
export async function startRig(
  limits: Partial<GatewayLimits> = {},
  settings: Partial<GatewayConfig> = {},
  egressUrl?: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<GatewayRig> {
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-gateway-"));
  const sent: SentMessage[] = [];
  const egress = await startEgress(sent);
  const port = await findTestPort();
  const vars = {
    ...variables,
    MASTER_KEYS,
    GATEWAY_SECRET,
    EGRESS_URL: egressUrl ?? `smtp://${HOST}:${egress.port}/?tls=off`,
  };
  const host = await startHost({ stateDir, port, vars, queueSeconds: 0 });
  const seed = await host.seed({
    name: "Gateway",
    email: "owner@gateway.test",
    domain: "gateway.test",
    mailboxLocalPart: "hello",
  });
  const api = async (method: string, apiPath: string, body?: unknown) => {
    const response = await fetch(`${host.url}${apiPath}`, {
      method,
      headers: { Authorization: `Bearer ${seed.apiKey}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${apiPath}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? null : ((await response.json()) as unknown);
  };
  const login = (await api("POST", "/v1/smtp-credentials/", { domain_id: seed.domainId })) as Login;
  const { authorityFile, variables: files } = await certificateFiles(path.join(stateDir, "certificates"));
  const config = readConfig({
    ...files,
    GATEWAY_NAME: "mx.gateway.test",
    GATEWAY_HOST: HOST,
    WORKER_URL: host.url,
    GATEWAY_SECRET,
    SUBMISSION_PORTS: "0",
    SUBMISSION_TLS_PORTS: "0",
    MX_PORTS: "0",
    HEALTH_PORT: "0",
  });
  const gateways: Gateway[] = [];
  const start = async (others: Partial<GatewayLimits>, clock = systemClock) => {
    const started = await startGateway({ ...config, ...settings, limits: { ...config.limits, ...others } }, clock);
    gateways.push(started);
    return started;
  };
  const gateway = await start(limits);
  const [starttls = 0, implicit = 0] = gateway.ports.submission;
  return {
    host,
    gateway,
    seed,
    login,
    ports: { starttls, implicit, mx: gateway.ports.mx[0] ?? 0, health: gateway.ports.health ?? 0 },
    caFile: authorityFile,
    stateDir,
    sent,
    startGateway: start,
    api,
    async close() {
      for (const each of gateways) await each.close();
      await host.stop();
      egress.close();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}

/** Starts an SMTP server that takes every message. */
async function startEgress(sent: SentMessage[]): Promise<{ port: number; close(): void }> {
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    size: 60_000_000,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const to = rcptTo.map(({ address }) => address);
        sent.push({ from: mailFrom ? mailFrom.address : "", to, raw: Buffer.concat(chunks).toString("latin1") });
        done();
      });
    },
  });
  server.on("error", () => {});
  server.listen(0, HOST);
  await once(server.server, "listening");
  return { port: (server.server.address() as AddressInfo).port, close: () => server.close() };
}

/** Polls until `done` returns a value. Throws after 100 s, for which only what hangs waits. */
export async function eventually<Value>(done: () => Value | undefined | Promise<Value | undefined>): Promise<Value> {
  for (const end = Date.now() + 100_000; ; ) {
    const value = await done();
    if (value !== undefined) return value;
    if (Date.now() > end) throw new Error("timed out after 100 s");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
