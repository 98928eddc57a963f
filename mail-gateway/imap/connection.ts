import type { Socket } from "node:net";
import tls from "node:tls";
import type { Clock } from "../clock.ts";
import { ByteQueue, ClosedError, LineError } from "./byte-queue.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { BrokenResponseError } from "./command-error.ts";
import { CommandSource, UnreadableCommandError } from "./command-source.ts";
import { handlersOf } from "./handlers.ts";
import { ResponseWriter } from "./response-writer.ts";
import { Session } from "./session.ts";
import type { WorkerMailboxes } from "./worker-mailboxes.ts";

/** Limits of a connection. Times in milliseconds. */
export interface ImapLimits {
  /** Failed logins of one connection, after which it is closed. */
  failedLogins: number;
  /** Bytes of a message that is appended. */
  messageBytes: number;
  /** Time until a client has logged in. */
  loginMs: number;
  /** Wait for the next byte of a client that has logged in, at least 30 minutes (RFC 3501 5.4). */
  imapIdleMs: number;
}

export interface ConnectionOptions {
  ip: string;
  socket: Socket;
  limits: ImapLimits;
  clock: Clock;
  mailboxes: WorkerMailboxes;
  secureContext(): tls.SecureContext;
  log(event: string, fields?: Record<string, unknown>): void;
}

/** The connection of one client, from the greeting to its end. */
export class Connection {
  readonly #options: ConnectionOptions;
  #socket: Socket;
  #bytes: ByteQueue;
  #writer: ResponseWriter;
  #session: Session;
  #startsTls = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#socket = options.socket;
    this.#bytes = this.#listen(options.socket);
    this.#writer = new ResponseWriter(options.socket);
    this.#session = this.#newSession();
  }

  /** Serves the client until the connection ends. Never rejects. */
  async run(): Promise<void> {
    const { limits, clock, log } = this.#options;
    const login = clock.after(limits.loginMs, () => {
      if (this.#session.state === "not-authenticated") this.close("The login took too long");
    });
    try {
      this.#writer.lines([`* OK [CAPABILITY ${capabilitiesOf(this.#session)}] Ready`]);
      await this.#serve();
    } catch (error) {
      if (error instanceof LineError || error instanceof UnreadableCommandError)
        this.#writer.lines([`* BYE ${error.message}`]);
      else if (!(error instanceof ClosedError) && !(error instanceof BrokenResponseError))
        log("imap.failed", { error: String(error) });
      if (error instanceof BrokenResponseError) this.#socket.destroy();
    } finally {
      login.cancel();
      this.#session.close();
      this.#socket.destroySoon();
    }
  }

  /** Ends the connection from outside. Called again it does not wait until the client has read what was written. */
  close(reason: string): void {
    if (this.#socket.writableEnded) this.#socket.destroy();
    this.#writer.lines([`* BYE ${reason}`]);
    this.#socket.destroySoon();
  }

  async #serve(): Promise<void> {
    while (!this.#session.isOver) {
      const source = new CommandSource({
        bytes: this.#bytes,
        askToContinue: () => this.#writer.lines(["+ Continue"]),
        isLoggedIn: () => this.#session.state !== "not-authenticated",
        syntax: this.#session.syntax,
      });
      await this.#session.run(await source.next());
      await this.#writer.ready();
      if (this.#startsTls) await this.#upgrade();
    }
  }

  #newSession(): Session {
    const { ip, limits, clock, mailboxes, log } = this.#options;
    const handlers = handlersOf({
      mailboxes,
      ip,
      failedLogins: limits.failedLogins,
      bytes: () => this.#bytes,
      startTls: () => {
        this.#startsTls = !this.#session.isSecure;
      },
    });
    const isSecure = this.#socket instanceof tls.TLSSocket;
    return new Session({
      writer: this.#writer,
      isSecure,
      appendLimit: limits.messageBytes,
      handlers,
      clock,
      log,
      onAccessEnded: () => this.close("The access has ended"),
    });
  }

  #listen(socket: Socket): ByteQueue {
    socket.setTimeout(this.#options.limits.imapIdleMs, () => this.close("The connection was idle for too long"));
    socket.setKeepAlive(true, 60_000);
    socket.on("error", (error) => this.#options.log("connection.failed", { error: error.message }));
    return new ByteQueue(socket);
  }

  /** Begins TLS. What a client sent before it could be of someone between, so it ends the connection (RFC 2595 3.1, CVE-2011-0411). */
  async #upgrade(): Promise<void> {
    this.#startsTls = false;
    if (this.#bytes.detach()) throw new ClosedError("The client sent commands before TLS");
    const plain = this.#socket;
    plain.setTimeout(0);
    const secure = new tls.TLSSocket(plain, { isServer: true, secureContext: this.#options.secureContext() });
    this.#socket = secure;
    this.#bytes = this.#listen(secure);
    await new Promise<void>((resolve, reject) => {
      secure.once("secure", resolve);
      secure.once("close", () => reject(new ClosedError("TLS did not begin")));
    });
    this.#writer = new ResponseWriter(secure);
    this.#session = this.#newSession();
  }
}
