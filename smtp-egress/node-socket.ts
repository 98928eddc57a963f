import type net from "node:net";
import tls from "node:tls";
import type { SmtpSocket, SocketReader, SocketWriter } from "../src/mail/smtp/client.ts";

/** Bytes that wait for a reader, from which the socket is paused. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** How long a server may take to receive what was written before the socket is closed, in ms. */
const CLOSE_MS = 2_000;

type ReadResult = Awaited<ReturnType<SocketReader["read"]>>;

/** Options of startTls(). */
export interface StartTlsOptions extends tls.ConnectionOptions {
  /** Returns why a server must not be used, after the handshake and before anything is sent to it, or null. */
  peerIssue?(socket: tls.TLSSocket): string | null;
}

interface WaitingRead {
  resolve(result: ReadResult): void;
  reject(error: Error): void;
}

/** Gives a socket of Node the shape that the SMTP client needs, by its events: web streams would cost more than the client does. */
export class NodeSocket implements SmtpSocket {
  readonly opened: Promise<unknown>;
  readonly closed: Promise<void>;
  readonly readable: { getReader(): SocketReader };
  readonly writable: { getWriter(): SocketWriter };
  readonly #socket: net.Socket;
  readonly #tlsOptions: StartTlsOptions;
  readonly #unread: Buffer[] = [];
  #waiting: WaitingRead | null = null;
  #error: Error | null = null;
  #isEnded = false;

  /** `tlsOptions` are those of startTls(). */
  constructor(socket: net.Socket, tlsOptions: StartTlsOptions, isTls = false) {
    this.#socket = socket;
    this.#tlsOptions = tlsOptions;
    socket.setNoDelay(true);
    socket.on("data", this.#onData);
    socket.on("error", (error) => this.#end(error));
    socket.on("end", () => this.#end(null));
    this.opened = new Promise((resolve, reject) => {
      socket.once(isTls ? "secureConnect" : "connect", () => {
        // The server chooses the bytes that are read here, and a listener that throws fails no promise.
        try {
          const issue = socket instanceof tls.TLSSocket ? tlsOptions.peerIssue?.(socket) : null;
          if (!issue) return resolve(null);
          reject(new Error(issue));
        } catch (error) {
          reject(new Error("its certificate cannot be read", { cause: error }));
        }
        socket.destroy();
      });
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("the connection was closed")));
    });
    this.opened.catch(() => {});
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.#end(null);
        resolve();
      });
    });
    this.readable = { getReader: () => ({ read: () => this.#read(), releaseLock: () => this.#release() }) };
    const write = (bytes: Uint8Array) =>
      new Promise<void>((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()));
      });
    this.writable = { getWriter: () => ({ write, closed: this.closed, releaseLock: () => {} }) };
  }

  /** Closes the socket when what was written has left, or after a time. */
  async close(): Promise<void> {
    if (this.#socket.connecting) this.#socket.destroy();
    else this.#socket.destroySoon();
    setTimeout(() => this.#socket.destroy(), CLOSE_MS).unref();
  }

  startTls(): NodeSocket {
    const { peerIssue: _, ...options } = this.#tlsOptions;
    const socket = tls.connect({ ...options, socket: this.#socket });
    // Bytes in clear text after the reply to STARTTLS may be an attacker's.
    if (this.#unread.length > 0) socket.destroy(new Error("the server sent clear text after its reply to STARTTLS"));
    return new NodeSocket(socket, this.#tlsOptions, true);
  }

  readonly #onData = (bytes: Buffer) => {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting) {
      waiting.resolve({ done: false, value: bytes });
      return;
    }
    this.#unread.push(bytes);
    if (this.#unread.reduce((sum, { length }) => sum + length, 0) > MAX_UNREAD_BYTES) this.#socket.pause();
  };

  #read(): Promise<ReadResult> {
    const value = this.#unread.shift();
    if (value) {
      this.#socket.resume();
      return Promise.resolve({ done: false, value });
    }
    if (this.#error) return Promise.reject(this.#error);
    if (this.#isEnded) return Promise.resolve({ done: true });
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Leaves the bytes that follow to TLS. */
  #release(): void {
    this.#socket.off("data", this.#onData);
    this.#socket.pause();
  }

  #end(error: Error | null): void {
    this.#error ??= error;
    this.#isEnded = true;
    const waiting = this.#waiting;
    this.#waiting = null;
    if (this.#error) waiting?.reject(this.#error);
    else waiting?.resolve({ done: true });
  }
}
