import type net from "node:net";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";
import { SMTPConnection } from "smtp-server/lib/smtp-connection.js";
import { formatSpec, mailboxesOf } from "../src/mail/addresses/read-list.ts";
import { type Clock, resultWithin, type Timer } from "./clock.ts";
import type { GatewayLimits } from "./config.ts";
import { shown } from "./errors.ts";
import { LineCheck } from "./line-check.ts";

/** Called before the reply to QUIT. */
type OnQuit = (session: SMTPServerSession) => Promise<void>;

/**
 * Called when a client ends its connection after all replies were written to it. Returns what to call unless a reset follows within a
 * second, or null to close the connection at once.
 */
type OnEnd = (session: SMTPServerSession) => (() => void) | null;

interface StrictOptions {
  limits: Pick<GatewayLimits, "loginMs" | "connectionMs">;
  clock: Clock;
  /** True when clients must log in. */
  needsLogin: boolean;
  onQuit?: OnQuit;
  onEnd?: OnEnd;
  /** Of a server for the Worker alone, as the egress is. */
  extensions?: Extensions;
}

/** Offered beside the extensions of the gateway. A server with them greets at once. */
interface Extensions {
  /** Lines of the EHLO reply. */
  keywords: readonly string[];
  /** Parameters of MAIL and RCPT. */
  mail: readonly string[];
  rcpt: readonly string[];
}

type ParsedAddress = ReturnType<SMTPConnection["_parseAddressCommand"]>;
type Next = (error?: Error | null) => void;
type Write = (chunk: Buffer, encoding: BufferEncoding, next: Next) => void;

/** How long the reply to QUIT waits, in ms. */
const QUIT_MS = 2_000;
/** How long a reset may follow the end of a client that had gone before the last reply arrived, in ms. */
const RESET_MS = 1_000;

/** Parameters of MAIL: those of the extensions that EHLO offers (RFC 1870, RFC 6152, RFC 6531). RCPT has none. */
const MAIL_PARAMETERS: readonly string[] = ["SIZE", "BODY", "SMTPUTF8"];
/** Where AUTH is offered, MAIL has its parameter too (RFC 4954 5). */
const SUBMISSION_PARAMETERS: readonly string[] = [...MAIL_PARAMETERS, "AUTH"];
/** A path with a quoted local part: the command before it, the path, its parameters (RFC 5321 4.1.2). */
const QUOTED_PATH = /^([^:"]*:\s*)(<(?:@[^\s"<>]*:)?"(?:[^\p{Cc}"\\]|\\[ -~])*"@[^\s"<>]*>)(.*)$/u;
const HAS_QUOTE = /^[^:]*:\s*<[^>]*"/;
/** Characters of a path (RFC 5321 4.5.3.1.3). */
const MAX_PATH = 256;
/** Refused commands of a connection until it is closed, as smtp-server counts those that it does not know. */
const MAX_REFUSED = 10;

/**
 * smtp-server with what it leaves out: commands end in CRLF only, slow clients are closed after a time that no byte
 * extends, AUTH before TLS and unknown parameters get their own replies, and `onQuit` runs before the reply to QUIT.
 */
export class StrictServer extends SMTPServer {
  readonly strict: StrictOptions;

  constructor(options: SMTPServerOptions, strict: StrictOptions) {
    super(options);
    this.strict = strict;
  }

  override connect(socket: net.Socket, socketOptions?: ConstructorParameters<typeof SMTPConnection>[2]): void {
    const connection = new StrictConnection(this, socket, socketOptions ?? {});
    this.connections.add(connection);
    connection.on("error", (error) => this._onError(error));
    connection.on("connect", (data) => this._onClientConnect(data));
    connectionOf.set(connection.session, connection);
    connection.limitTime(this.strict);
    connection.init();
  }

  /** Stops listening. A message that is being sent gets its reply within `closeTimeout`; other connections end at once. */
  override close(callback: () => void): void {
    super.close(callback);
    for (const connection of this.connections)
      if (connection instanceof StrictConnection) connection.drain("The server is shutting down");
  }
}

/** Of the connections that are open. */
const connectionOf = new WeakMap<SMTPServerSession, StrictConnection>();

/** Returns whether a connection has not been closed. */
export const isOpen = (session: SMTPServerSession): boolean => connectionOf.has(session);

/** Ends a connection, after the reply to a message that is being sent; called again at once. */
export const endConnection = (session: SMTPServerSession, text: string): void => connectionOf.get(session)?.drain(text);

const closing = new WeakSet<SMTPServerSession>();

/**
 * Closes a connection after its next reply. What follows a message with ambiguous line ends may be a part of it, so it
 * must not run as commands.
 */
export function closeAfterReply(session: SMTPServerSession): void {
  closing.add(session);
}

class StrictConnection extends SMTPConnection {
  /** True while an end that is read may have come before the last reply. */
  #mayHaveEnded = false;
  readonly #timers: Timer[] = [];

  /** Closes the connection when it takes too long, whatever the client sends meanwhile. */
  limitTime({ limits, clock, needsLogin }: StrictOptions): void {
    this.#timers.push(clock.after(limits.connectionMs, () => this.#expire()));
    if (needsLogin) this.#timers.push(clock.after(limits.loginMs, () => this.session.user || this.#expire()));
    this.#watchEnd();
  }

  override _onClose(): void {
    connectionOf.delete(this.session);
    for (const timer of this.#timers) timer.cancel();
    super._onClose();
  }

  override upgrade(callback: () => void, secureCallback?: () => void): void {
    // A client that goes before TLS has begun must not keep its place.
    this._socket.allowHalfOpen = false;
    super.upgrade(callback, () => {
      this.#watchEnd();
      secureCallback?.();
    });
  }

  #watchEnd(): void {
    // Node would close the connection at its end, and a reset after that is not told.
    this._socket.allowHalfOpen = true;
    this._socket.once("end", () => this.#end());
  }

  #end(): void {
    const { onEnd, clock } = (this._server as StrictServer).strict;
    const hasReplies = !this._closing && !this._dataStream && !this.#mayHaveEnded;
    const onReceived = (hasReplies && onEnd?.(this.session)) || null;
    if (onReceived === null) {
      this.close();
      return;
    }
    clock.after(RESET_MS, () => {
      // A write is what fails after a reset.
      this._socket.write("421 4.4.2 The client has ended the connection\r\n", (error) => error || onReceived());
      this.close();
    });
  }

  /** Closes the connection, after the reply to a message that is being sent. */
  drain(text: string): void {
    if (this._dataStream && !closing.has(this.session)) closeAfterReply(this.session);
    else this.send(421, text);
  }

  /**
   * Greets at once, but for mail from outside: smtp-server waits 100 ms for clients that talk before the greeting, which only
   * tells senders of spam (MX).
   */
  override init(): void {
    const { strict, options, connections } = this._server as StrictServer;
    if (!strict.needsLogin && !this.#extensions) {
      super.init();
      return;
    }
    this._setListeners(() => {
      if (connections.size > (options.maxClients ?? Number.POSITIVE_INFINITY))
        this.send(421, "Too many connected clients, try again in a moment");
      else this.connectionReady();
    });
  }

  #expire(): void {
    this.send(421, "The connection has lasted too long");
  }

  override _createParser(): ReturnType<SMTPConnection["_createParser"]> {
    const parser = super._createParser();
    const lines = new LineCheck();
    const write: Write = parser._write.bind(parser);
    const checkedWrite: Write = (chunk, encoding, next) => {
      if (parser._dataMode || this._upgrading) lines.reset();
      else lines.add(chunk);
      if (lines.issue === null) return write(chunk, encoding, next);
      this.send("500 5.5.2" as unknown as number, `Lines must end in CRLF; this one has a ${lines.issue}`);
      this.close();
      next();
    };
    // An error that a command throws ends its connection, not the process.
    const strictWrite: Write = (chunk, encoding, next) => {
      try {
        checkedWrite(chunk, encoding, next);
      } catch (error) {
        this._socket.destroy();
        this._server.emit("error", error);
      }
    };
    parser._write = strictWrite as typeof parser._write;
    return parser;
  }

  /** Replies 530 to AUTH before TLS (RFC 4954 6): smtp-server calls a command unknown that it must not offer yet. */
  override _onCommand(command: Buffer, callback?: () => void): void {
    const { strict } = this._server as StrictServer;
    const mayReply = this._ready && !this._upgrading && !this._closing;
    if (!strict.needsLogin || this.session.secure || !mayReply || !/^AUTH(?: |$)/i.test(String(command))) {
      super._onCommand(command, callback);
      return;
    }
    this._unrecognizedCommands += 1;
    if (this._unrecognizedCommands >= MAX_REFUSED) this.send(421, "Too many refused commands");
    else this.send("530 5.7.0" as unknown as number, "Must issue a STARTTLS command first");
    if (callback) setImmediate(callback);
  }

  override handler_MAIL(command: Buffer, callback: () => void): void {
    const { needsLogin } = (this._server as StrictServer).strict;
    const known = needsLogin ? SUBMISSION_PARAMETERS : MAIL_PARAMETERS;
    if (this.#hasParameters("mail from", command, [...known, ...(this.#extensions?.mail ?? [])]))
      super.handler_MAIL(command, callback);
    else callback();
  }

  override handler_RCPT(command: Buffer, callback: () => void): void {
    const [, path = ""] = /:(.*)$/s.exec(String(command)) ?? [];
    const parsed = this._parseAddressCommand("rcpt to", command);
    const address = parsed ? parsed.address : "";
    if (path.trim() !== "" && address === "") {
      this.send("501 5.1.3" as unknown as number, `${shown(path.trim())} is no valid recipient`);
      callback();
    } else if (this.#hasParameters("rcpt to", command, this.#extensions?.rcpt ?? []))
      super.handler_RCPT(command, callback);
    else callback();
  }

  /** Reads a path with a quoted local part too (RFC 5321 4.1.2), whose blanks and signs smtp-server reads as ends of the address. */
  override _parseAddressCommand(name: string, command: Buffer | string): ParsedAddress {
    const [, head = "", path = "", rest = ""] = QUOTED_PATH.exec(String(command)) ?? [];
    const spec = path.length > MAX_PATH ? null : mailboxesOf(path)[0]?.spec;
    if (!spec) return !HAS_QUOTE.test(String(command)) && super._parseAddressCommand(name, command);
    const parsed = super._parseAddressCommand(name, `${head}<quoted@${spec.domain}>${rest}`);
    if (parsed) parsed.address = formatSpec({ ...spec, domain: parsed.address.slice("quoted@".length) });
    return parsed;
  }

  /** Returns whether a command has no other than these parameters. Replies 555 otherwise (RFC 5321 4.1.1.11). */
  #hasParameters(name: string, command: Buffer, known: readonly string[]): boolean {
    const parsed = this._parseAddressCommand(name, command);
    const parameters = parsed ? Object.keys(parsed.args || {}) : [];
    const unknown = parameters.find((key) => !known.includes(key));
    if (unknown !== undefined)
      this.send("555 5.5.4" as unknown as number, `The parameter ${shown(unknown)} is not supported`);
    return unknown === undefined;
  }

  get #extensions(): Extensions | undefined {
    return (this._server as StrictServer).strict.extensions;
  }

  override send(...[code, text, context]: Parameters<SMTPConnection["send"]>): void {
    // Only EHLO has a reply of several lines.
    super.send(code, Array.isArray(text) ? [...text, ...(this.#extensions?.keywords ?? [])] : text, context);
    if (context === "DATA_OK") this.#noteReply();
    if (closing.has(this.session)) this.close();
  }

  /** Lets the event loop read an end that has arrived already: in this turn, or in the next one when a large message paused the socket. */
  #noteReply(): void {
    const done = () => {
      this.#mayHaveEnded = false;
    };
    this.#mayHaveEnded = true;
    setImmediate(this._socket.isPaused() ? () => setImmediate(done) : done);
  }

  override handler_QUIT(command: Buffer, callback: () => void): void {
    const { onQuit, clock } = (this._server as StrictServer).strict;
    const quit = () => super.handler_QUIT(command, callback);
    if (!onQuit) {
      quit();
      return;
    }
    void resultWithin(
      clock,
      QUIT_MS,
      onQuit(this.session).catch(() => {}),
    ).then(quit);
  }
}
