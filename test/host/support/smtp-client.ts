/** A raw SMTP client for tests: writes any bytes and reads replies. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import net from "node:net";
import tls from "node:tls";
import type { GatewayRig } from "./gateway-rig.ts";

const HOST = "127.0.0.1";

export class SmtpClient {
  #socket: net.Socket;
  /** The socket below TLS that began with STARTTLS. */
  #plain: net.Socket;
  #received = "";
  #isClosed = false;
  #changed = Promise.withResolvers<void>();

  constructor(socket: net.Socket) {
    this.#socket = socket;
    this.#plain = socket;
    this.#listen();
  }

  /** Connects and reads the greeting, unless `greets` is false. */
  static async connect(
    port: number,
    options: { ca?: string; greets?: boolean; host?: string } = {},
  ): Promise<SmtpClient> {
    const { host = HOST } = options;
    const socket = options.ca
      ? tls.connect({ port, host, servername: "localhost", ca: readFileSync(options.ca) })
      : net.connect(port, host);
    await once(socket, options.ca ? "secureConnect" : "connect");
    const client = new SmtpClient(socket);
    if (options.greets !== false) await client.reply();
    return client;
  }

  /** Connects to submission over implicit TLS and logs in. */
  static async loggedIn({ ports, caFile, login }: Pick<GatewayRig, "ports" | "caFile" | "login">): Promise<SmtpClient> {
    const client = await SmtpClient.connect(ports.implicit, { ca: caFile });
    await client.command("EHLO client.test");
    const token = Buffer.from(`\0${login.username}\0${login.password}`).toString("base64");
    const reply = await client.command(`AUTH PLAIN ${token}`);
    if (reply.startsWith("235")) return client;
    // The gateway limits the open connections of an address.
    client.end();
    throw new Error(reply);
  }

  /** Connects to submission, begins TLS by STARTTLS, so that the connection can be reset, and logs in. */
  static async loggedInByStartTls({ ports, caFile, login }: Pick<GatewayRig, "ports" | "caFile" | "login">) {
    const client = await SmtpClient.connect(ports.starttls);
    for (const command of ["EHLO client.test", "STARTTLS"]) await client.command(command);
    await client.startTls(caFile);
    await client.command("EHLO client.test");
    const token = Buffer.from(`\0${login.username}\0${login.password}`).toString("base64");
    await client.command(`AUTH PLAIN ${token}`);
    return client;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Everything received that no call has returned. */
  get unread(): string {
    return this.#received;
  }

  write(bytes: string | Uint8Array): void {
    this.#socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  }

  /** Writes a line and returns the reply. */
  command(line: string): Promise<string> {
    this.write(`${line}\r\n`);
    return this.reply();
  }

  /** Resolves when what was written has left this program. */
  flushed(): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.write("", () => resolve());
    });
  }

  /** Returns the next reply, without its last CRLF; an empty text when the server has closed the connection. */
  async reply(): Promise<string> {
    for (;;) {
      const match = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.#received);
      if (match) {
        this.#received = this.#received.slice(match[0].length);
        return match[0].trimEnd();
      }
      if (this.#isClosed) return "";
      await this.#changed.promise;
    }
  }

  /** Resolves when the server has closed the connection. */
  async closed(): Promise<void> {
    while (!this.#isClosed) await this.#changed.promise;
  }

  /** Begins TLS on the connection. Throws when the handshake fails. */
  async startTls(ca: string): Promise<void> {
    this.#socket.removeAllListeners("data");
    this.#socket.removeAllListeners("close");
    const secure = tls.connect({ socket: this.#socket, servername: "localhost", ca: readFileSync(ca) });
    await once(secure, "secureConnect");
    this.#socket = secure;
    this.#received = "";
    this.#listen();
  }

  /** Begins a message to these recipients, up to the 354. */
  async begin(from: string, ...to: string[]): Promise<string> {
    await this.command(`MAIL FROM:<${from}>`);
    for (const address of to) await this.command(`RCPT TO:<${address}>`);
    return this.command("DATA");
  }

  /** Ends the connection from this side, and goes on to receive. */
  halfClose(): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.end(() => resolve());
    });
  }

  /** Resets the connection, unless it has used TLS from the start. */
  reset(): void {
    this.#plain.resetAndDestroy();
  }

  end(): void {
    this.#socket.destroy();
  }

  #listen(): void {
    this.#socket.on("data", (chunk: Buffer) => {
      this.#received += chunk.toString("latin1");
      this.#wake();
    });
    this.#socket.on("close", () => {
      this.#isClosed = true;
      this.#wake();
    });
    this.#socket.on("error", () => {});
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
