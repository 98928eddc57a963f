import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import type { SMTPServerOptions } from "smtp-server";
import { log } from "../smtp-gateway/log.ts";
import { StrictServer } from "../smtp-gateway/strict-server.ts";
import { WorkerClient } from "../smtp-gateway/worker-client.ts";
import { withTimeout } from "../src/lib/deadline.ts";
import { addressCheck } from "./allowed-addresses.ts";
import type { EgressConfig, Listener } from "./config.ts";
import { Deliveries } from "./deliveries.ts";
import { Dns } from "./dns.ts";
import { startHealth } from "./health.ts";
import { Hold } from "./hold.ts";
import { Intake } from "./intake.ts";
import { Leases, type Renewal } from "./leases.ts";
import { metricsText } from "./metrics.ts";
import { Policies } from "./mta-sts.ts";
import { namesHost } from "./mta-sts-policy.ts";
import { readReceivers } from "./receivers/read-receivers.ts";
import { Reporter } from "./reporter.ts";
import { Routes } from "./resolve.ts";
import type { Route } from "./route.ts";
import { Scheduler } from "./scheduler.ts";
import { findSourceAddress } from "./source-address.ts";
import { type VolumeRow, Volumes } from "./volumes.ts";

/** A running egress. */
export interface Egress {
  /** The ports that it listens on, in the order of the configuration, and that of health. */
  ports: number[];
  healthPort: number | null;
  /** Reads the certificate again. */
  reloadCertificate(): void;
  /** Takes no new mail, returns what has no final dot, and waits for results and acknowledgements for `limits.closeMs`. */
  close(): Promise<void>;
}

/** Commands of smtp-server that the Worker does not need. */
const DISABLED = ["WIZ", "SHELL", "KILL", "XCLIENT", "XFORWARD", "HELP", "VRFY"];
/** Extensions of the hand-over (docs/egress.md): XLEASE tells the Worker that its 250 means "held under your lease". */
const EXTENSIONS = { keywords: ["XLEASE 1"], mail: ["ENVID", "RET"], rcpt: ["NOTIFY", "ORCPT"] };
/** Time until a client has logged in, and for which it may be connected and idle, in ms. */
const LOGIN_MS = 60_000;
const CONNECTION_MS = 3_600_000;
const IDLE_MS = 300_000;
const COMMAND_BYTES = 4_096;

/** Starts the egress. */
export async function startEgress(config: EgressConfig): Promise<Egress> {
  const { limits } = config;
  const worker = new WorkerClient(config.workerUrl, config.secret);
  const hold = new Hold(config.memoryBytes);
  const leases = new Leases({
    renew: async (tickets) => (await worker.call("leases", { tickets })) as unknown as Renewal,
    renewMs: limits.renewMs,
  });
  const address = config.sourceAddress ?? (await findSourceAddress());
  const volumes =
    config.warmUp &&
    new Volumes(config.warmUp.since, async () => (await worker.call("volume", { address })).receivers as VolumeRow[]);
  const reporter = new Reporter({
    call: async (body) => (await worker.call("outcomes", body)).lost as string[],
    address,
    groupMs: limits.groupMs,
    unacknowledged: limits.unacknowledged,
  });
  const dns = new Dns(config.dnsServers);
  const issueOf = addressCheck(config.allowsPrivateAddresses, config.sourceAddress);
  const ca = config.caFile === null ? null : readFileSync(config.caFile);
  const routes = new Routes({ dns, issueOf, ownName: config.name });
  const policies = new Policies({ dns, issueOf, ca, port: config.policyPort });
  const routeOf = (domain: string) => routes.routeOf(domain);
  const receivers = readReceivers(config.receiversFile === null ? "{}" : readFileSync(config.receiversFile, "utf8"));
  const queueOf = ({ hosts }: Route & { kind: "hosts" }) => {
    const names = hosts.map(({ name }) => name);
    return scheduler.queueOf(receivers.receiverOf(names));
  };
  const destinationOf = async (domain: string, { hosts }: Route & { kind: "hosts" }) => {
    const policy = await policies.policyOf(domain);
    if (policy?.mode !== "enforce") return { hosts, enforcesTls: () => false };
    return { hosts, enforcesTls: (host: string) => (namesHost(policy, host) ? true : null) };
  };
  const deliveries = new Deliveries({ hold, leases, reporter, limits, routeOf, queueOf, destinationOf });
  const scheduler = new Scheduler({
    connect: {
      name: config.name,
      port: config.deliveryPort,
      sourceAddress: config.sourceAddress,
      ca,
      limits,
    },
    guard: deliveries.guard,
    volumes,
    connections: limits.connections,
    holdMs: limits.waitMs,
    idleMs: limits.idleMs,
    unreachableMs: limits.unreachableMs,
    freeBytes: () => hold.free,
    onResults: deliveries.onResults,
  });
  let isStopping = false;
  const intake = new Intake({
    config,
    hold,
    routeOf,
    queueOf,
    take: (...email) => deliveries.take(...email),
    isStopping: () => isStopping,
    isReady: () => volumes?.isKnown !== false,
  });
  const servers = config.listeners.map((listener) => serverOf(config, listener, intake));
  await Promise.all(servers.map((server, index) => listen(server, config.host, config.listeners[index]?.port ?? 0)));
  const health =
    config.healthPort === null
      ? null
      : await startHealth({
          port: config.healthPort,
          host: config.host,
          isHealthy: () => worker.isReachable(),
          metrics: () => metricsText({ address, hold, reporter, queues: scheduler.queues }, Date.now()),
        });
  return {
    ports: servers.map((server) => portOf(server.server)),
    healthPort: health && portOf(health),
    reloadCertificate: () => {
      for (const server of servers) server.updateSecureContext(readCertificate(config));
    },
    async close() {
      isStopping = true;
      health?.close();
      const closed = Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(resolve))));
      deliveries.returnAll();
      const isDone = closed.then(() => deliveries.ended()).then(() => reporter.flushed());
      await withTimeout(limits.closeMs, isDone).catch(() => log("stopped.unacknowledged", { emails: hold.count }));
      volumes?.close();
      scheduler.close();
      leases.close();
      worker.close();
    },
  };
}

function readCertificate({ tls }: EgressConfig) {
  if (tls === null) return {};
  return { key: readFileSync(tls.keyFile), cert: readFileSync(tls.certificateFile), minVersion: "TLSv1.2" as const };
}

function serverOf(config: EgressConfig, { tls }: Listener, intake: Intake): StrictServer {
  const { limits } = config;
  const disabled = tls === "none" ? [...DISABLED, "STARTTLS", "AUTH"] : DISABLED;
  const options: SMTPServerOptions = {
    ...intake.handlers,
    ...(tls === "none" ? {} : readCertificate(config)),
    name: config.name,
    secure: tls === "implicit",
    size: limits.messageBytes,
    maxRecipients: limits.recipients,
    maxCommandLength: COMMAND_BYTES,
    socketTimeout: IDLE_MS,
    closeTimeout: limits.closeMs,
    disableReverseLookup: true,
    lenientAddressParsing: true,
    authMethods: tls === "none" ? [] : ["PLAIN", "LOGIN"],
    authOptional: tls === "none",
    hideENHANCEDSTATUSCODES: false,
    hideDSN: false,
    hideREQUIRETLS: true,
    disabledCommands: disabled,
    onConnect: (session, done) => {
      // Neither offered nor taken before TLS.
      session.disabledCommands = session.secure || tls === "none" ? disabled : [...disabled, "AUTH"];
      done();
    },
    onSecure: (_socket, session, done) => {
      session.disabledCommands = disabled;
      done();
    },
  };
  const server = new StrictServer(options, {
    limits: { loginMs: LOGIN_MS, connectionMs: CONNECTION_MS },
    needsLogin: tls !== "none",
    extensions: EXTENSIONS,
  });
  // A client that goes away must not end the process.
  server.on("error", (error: Error) => log("connection.failed", { error: error.message }));
  return server;
}

const portOf = (server: { address(): string | AddressInfo | null }) => (server.address() as AddressInfo).port;

async function listen(server: StrictServer, host: string, port: number): Promise<void> {
  server.listen(port, host);
  if (!server.server.listening) await once(server.server, "listening");
}
