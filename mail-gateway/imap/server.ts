import { randomBytes } from "node:crypto";
import net, { type Socket } from "node:net";
import tls from "node:tls";
import type { Clock } from "../clock.ts";
import type { ConnectionLimits } from "../connection-limits.ts";
import { log } from "../log.ts";
import { Connection, type ImapLimits } from "./connection.ts";
import type { WorkerMailboxes } from "./worker-mailboxes.ts";

/** Settings of a server of IMAP. */
export interface ImapServerOptions {
  isImplicitTls: boolean;
  limits: ImapLimits & { connections: number; closeMs: number };
  clock: Clock;
  counts: ConnectionLimits;
  mailboxes: WorkerMailboxes;
  certificate(): tls.SecureContextOptions;
}

/** Listens for mail programs (RFC 3501; RFC 8314 for TLS from the start). */
export class ImapServer {
  readonly server: net.Server;
  readonly connections = new Set<Connection>();
  readonly #options: ImapServerOptions;
  #secureContext: tls.SecureContext;

  constructor(options: ImapServerOptions) {
    this.#options = options;
    const certificate = options.certificate();
    this.#secureContext = tls.createSecureContext(certificate);
    this.server = options.isImplicitTls
      ? tls.createServer(certificate, (socket) => this.#connect(socket))
      : net.createServer((socket) => this.#connect(socket));
    this.server.on("tlsClientError", (error: Error) => log("connection.failed", { error: error.message }));
  }

  updateSecureContext(certificate: tls.SecureContextOptions): void {
    this.#secureContext = tls.createSecureContext(certificate);
    if (this.server instanceof tls.Server) this.server.setSecureContext(certificate);
  }

  /** Stops listening and ends the connections. */
  close(callback: () => void): void {
    this.server.close(callback);
    for (const connection of this.connections) connection.close("The server is shutting down");
  }

  #connect(socket: Socket): void {
    const { counts, limits, clock, mailboxes } = this.#options;
    const ip = socket.remoteAddress ?? "";
    socket.on("error", () => {});
    socket.once("close", () => counts.close(ip));
    try {
      counts.open(ip);
      if (this.connections.size >= limits.connections) throw new Error("Too many connected clients");
    } catch (error) {
      socket.end(`* BYE ${(error as Error).message}\r\n`);
      return;
    }
    const id = randomBytes(10).toString("base64url");
    const connection = new Connection({
      ip,
      socket,
      limits,
      clock,
      mailboxes,
      secureContext: () => this.#secureContext,
      log: (event, fields) => log(event, { connection: id, ip, ...fields }),
    });
    this.connections.add(connection);
    void connection.run().finally(() => this.connections.delete(connection));
  }
}
