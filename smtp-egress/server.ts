import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import type { SMTPServerOptions } from "smtp-server";
import type { Clock } from "../mail-gateway/clock.ts";
import { log } from "../mail-gateway/log.ts";
import { StrictServer } from "../mail-gateway/strict-server.ts";
import type { EgressConfig, Listener } from "./config.ts";
import type { Intake } from "./intake.ts";

/** The servers that take emails of the Worker. */
export interface Servers {
  /** In the order of the configuration. */
  ports: number[];
  /** Reads the certificate again. */
  reloadCertificate(): void;
  /** Ends idle connections with 421. An email that is being received gets its reply. */
  close(): Promise<void>;
}

/** Commands of smtp-server that the Worker does not need. */
const DISABLED = ["WIZ", "SHELL", "KILL", "XCLIENT", "XFORWARD", "HELP", "VRFY"];
/** Extensions of the hand-over (docs/egress.md): XLEASE tells the Worker that its 250 means "held under your lease". */
const EXTENSIONS = { keywords: ["XLEASE 2"], mail: ["ENVID", "RET"], rcpt: ["NOTIFY", "ORCPT"] };
/** Time until a client has logged in, and for which it may be connected and idle, in ms. */
const LOGIN_MS = 60_000;
const CONNECTION_MS = 3_600_000;
const IDLE_MS = 300_000;
const COMMAND_BYTES = 4_096;

/** Starts a server on each port of the configuration. */
export async function startServers(config: EgressConfig, intake: Intake, clock: Clock): Promise<Servers> {
  const servers = config.listeners.map((listener) => serverOf(config, listener, intake, clock));
  await Promise.all(servers.map((server, index) => listen(server, config.host, config.listeners[index]?.port ?? 0)));
  return {
    ports: servers.map((server) => (server.server.address() as AddressInfo).port),
    reloadCertificate: () => {
      for (const server of servers) server.updateSecureContext(readCertificate(config));
    },
    async close() {
      await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(resolve))));
    },
  };
}

function readCertificate({ tls }: EgressConfig) {
  if (tls === null) return {};
  return { key: readFileSync(tls.keyFile), cert: readFileSync(tls.certificateFile), minVersion: "TLSv1.2" as const };
}

function serverOf(config: EgressConfig, { tls }: Listener, intake: Intake, clock: Clock): StrictServer {
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
    clock,
    needsLogin: tls !== "none",
    extensions: EXTENSIONS,
  });
  // A client that goes away must not end the process.
  server.on("error", (error: Error) => log("connection.failed", { error: error.message }));
  return server;
}

async function listen(server: StrictServer, host: string, port: number): Promise<void> {
  server.listen(port, host);
  if (!server.server.listening) await once(server.server, "listening");
}
