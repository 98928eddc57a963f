/** A mail gateway in front of the Worker, with a workspace whose mail it submits and receives. */
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Seeded } from "../../../dev/seed-workspace.ts";
import { loadCertificates, writeCertificateFiles } from "../../../dev/state/certificates.ts";
import { type Clock, systemClock } from "../../../mail-gateway/clock.ts";
import { type GatewayConfig, type GatewayLimits, readConfig } from "../../../mail-gateway/config.ts";
import { type Gateway, startGateway } from "../../../mail-gateway/gateway.ts";
import { type CallApi, callerOf } from "./call-api.ts";
import type { Host } from "./hosts/in-process.ts";
import { GATEWAY_SECRET, type LeftMail, type Service, sharedService } from "./shared-service.ts";

const HOST = "127.0.0.1";

/** The credential of the domain of the workspace. */
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
  /** Messages that left through the egress, once for each recipient. */
  sent: LeftMail[];
  /** Starts a gateway with other limits, or another clock, in front of the same Worker. It ends with the rig. */
  startGateway(limits: Partial<GatewayLimits>, clock?: Clock): Promise<Gateway>;
  /** Calls the API with the key of the workspace. */
  api: CallApi;
  /** Runs one statement on both mail databases and returns the rows of both. */
  sql<Row>(sql: string): Promise<Row[]>;
  close(): Promise<void>;
}

/** Writes the certificate of a temporary authority and returns the variables of the gateway for it. */
export async function certificateFiles(directory: string) {
  const certificates = await loadCertificates(directory);
  return { authorityFile: certificates.authorityFile, variables: await writeCertificateFiles(directory, certificates) };
}

/**
 * Starts a gateway, and adds a workspace with this domain to the service. `limits` replaces limits of the gateway, `settings`
 * other parts of its configuration.
 */
export async function startRig(
  domain: string,
  limits: Partial<GatewayLimits> = {},
  settings: Partial<GatewayConfig> = {},
  service?: Service,
): Promise<GatewayRig> {
  const { host, addWorkspace, left } = service ?? (await sharedService());
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-gateway-"));
  const seed = await addWorkspace(domain);
  const api = callerOf(host.url, seed.apiKey);
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
    ...{ host, gateway, seed, login, stateDir, api },
    ports: { starttls, implicit, mx: gateway.ports.mx[0] ?? 0, health: gateway.ports.health ?? 0 },
    caFile: authorityFile,
    sent: left,
    startGateway: start,
    async sql<Row>(sql: string) {
      const { MAIL_0, MAIL_1 } = host.env;
      const found = await Promise.all([MAIL_0, MAIL_1].map((db) => db.prepare(sql).all<Row>()));
      return found.flatMap(({ results }) => results);
    },
    async close() {
      for (const each of gateways) await each.close();
      await service?.stop();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
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
