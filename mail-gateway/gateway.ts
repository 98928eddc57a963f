import { once } from "node:events";
import { readFileSync } from "node:fs";
import type http from "node:http";
import type { AddressInfo } from "node:net";
import type { SMTPServerOptions, SMTPServerSession } from "smtp-server";
import type { Clock } from "./clock.ts";
import type { GatewayConfig, Listener } from "./config.ts";
import { ConnectionLimits } from "./connection-limits.ts";
import { createResolver } from "./dns.ts";
import { startHealth } from "./health.ts";
import { ImapServer } from "./imap/server.ts";
import { WorkerMailboxes } from "./imap/worker-mailboxes.ts";
import { log } from "./log.ts";
import { Mx } from "./mx.ts";
import { OpenAccesses } from "./open-accesses.ts";
import { StrictServer } from "./strict-server.ts";
import { Submission } from "./submission.ts";
import { WorkerClient } from "./worker-client.ts";

/** Commands of smtp-server that no client of ours needs. */
const DISABLED = ["WIZ", "SHELL", "KILL", "XCLIENT", "XFORWARD", "HELP"];

/** A running gateway. */
export interface Gateway {
  /** The ports that it listens on, in the order of the configuration: submission, MX, IMAP, health. */
  ports: { submission: number[]; mx: number[]; imap: number[]; health: number | null };
  /** Reads the certificate again. */
  reloadCertificate(): void;
  /** Stops listening, gives open messages `limits.closeMs` to finish, and closes all connections. */
  close(): Promise<void>;
}

type Server = StrictServer | ImapServer;

/** Starts the roles of the configuration. */
export async function startGateway(config: GatewayConfig, clock: Clock): Promise<Gateway> {
  const worker = new WorkerClient(config.workerUrl, config.secret);
  const counts = new ConnectionLimits(config.limits, clock);
  const accesses = new OpenAccesses(worker, clock);
  const submission = new Submission(worker, accesses, config.limits, clock);
  const mx = new Mx(worker, config, createResolver(config.dnsResolverUrl), clock);
  const submissionServers = config.submission.map((listener) =>
    submissionServer({ config, counts, clock }, listener, submission),
  );
  const mxServers = config.mx.map((listener) => mxServer({ config, counts, clock }, listener, mx));
  const mailboxes = new WorkerMailboxes(worker, accesses, clock);
  const imapServers = config.imap.map(
    ({ isImplicitTls }) =>
      new ImapServer({
        isImplicitTls,
        limits: config.limits,
        clock,
        counts,
        mailboxes,
        certificate: () => readCertificate(config),
      }),
  );
  const servers = [...submissionServers, ...mxServers, ...imapServers];
  const listeners = [...config.submission, ...config.mx, ...config.imap];
  await Promise.all(servers.map((server, index) => listen(server, config.host, listeners[index]?.port ?? 0)));
  const connections = () => servers.reduce((sum, server) => sum + server.connections.size, 0);
  const health =
    config.healthPort === null
      ? null
      : startHealth({ port: config.healthPort, host: config.host }, async () => ({
          isHealthy: await worker.isReachable(),
          connections: connections(),
        }));
  if (health && !health.listening) await once(health, "listening");
  const portOf = (server: Server | http.Server) =>
    ("server" in server ? (server.server.address() as AddressInfo) : (server.address() as AddressInfo)).port;
  return {
    ports: {
      submission: submissionServers.map(portOf),
      mx: mxServers.map(portOf),
      imap: imapServers.map(portOf),
      health: health && portOf(health),
    },
    reloadCertificate: () => {
      for (const server of servers) server.updateSecureContext(readCertificate(config));
    },
    async close() {
      health?.close();
      await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
      accesses.close();
      worker.close();
    },
  };
}

function readCertificate({ tls }: GatewayConfig) {
  return { key: readFileSync(tls.keyFile), cert: readFileSync(tls.certificateFile), minVersion: "TLSv1.2" as const };
}

/** Shared by the servers of both roles. */
interface Shared {
  config: GatewayConfig;
  counts: ConnectionLimits;
  clock: Clock;
}

/** Returns the options that both roles share. */
function commonOptions({ config, counts }: Shared, { isImplicitTls }: Listener): SMTPServerOptions {
  const { limits } = config;
  const counted = new WeakSet<SMTPServerSession>();
  return {
    ...readCertificate(config),
    name: config.name,
    secure: isImplicitTls,
    size: limits.messageBytes,
    maxClients: limits.connections,
    maxRecipients: limits.recipients,
    maxCommandLength: limits.commandBytes,
    socketTimeout: limits.idleMs,
    closeTimeout: limits.closeMs,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    hideDSN: true,
    hideREQUIRETLS: true,
    disabledCommands: DISABLED,
    onConnect: (session, done) => {
      try {
        counted.add(session);
        counts.open(session.remoteAddress);
        // Neither offered nor taken before TLS.
        session.disabledCommands = session.secure ? DISABLED : [...DISABLED, "AUTH"];
        done();
      } catch (error) {
        done(error as Error);
      }
    },
    onSecure: (_socket, session, done) => {
      session.disabledCommands = DISABLED;
      done();
    },
    onClose: (session) => {
      if (counted.has(session)) counts.close(session.remoteAddress);
    },
  };
}

function submissionServer(shared: Shared, listener: Listener, submission: Submission) {
  const { config, clock } = shared;
  const common = commonOptions(shared, listener);
  const options: SMTPServerOptions = {
    ...common,
    ...submission.handlers,
    authMethods: ["PLAIN", "LOGIN"],
    onClose: (session, done) => {
      common.onClose?.(session, done);
      submission.onClose(session);
    },
  };
  const strict = { limits: config.limits, clock, needsLogin: true, onQuit: submission.onQuit, onEnd: submission.onEnd };
  return withErrors(new StrictServer(options, strict));
}

function mxServer(shared: Shared, listener: Listener, mx: Mx) {
  const { config, clock } = shared;
  const options = { ...commonOptions(shared, listener), authMethods: [], authOptional: true };
  const strict = { limits: config.limits, clock, needsLogin: false };
  return withErrors(new StrictServer({ ...options, ...mx.handlers }, strict));
}

/** Logs errors of connections: a client that goes away must not end the process. */
function withErrors(server: StrictServer): StrictServer {
  server.on("error", (error: Error & { remoteAddress?: string }) =>
    log("connection.failed", { ip: error.remoteAddress, error: error.message }),
  );
  return server;
}

async function listen({ server }: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  if (!server.listening) await once(server, "listening");
}
